"""Does Microsoft's Python SDK get through the life of a standby pool on the simulator? Prints a line for each step.

Reads the variables that the simulator prints, and nothing else; ends with 1 at the first answer that is not as expected.
The simulator makes the pool degraded at its second PUT.
"""

import os
import time
from importlib.metadata import version

from azure.core.exceptions import HttpResponseError, ResourceNotFoundError
from azure.identity import ClientSecretCredential
from azure.mgmt.compute import ComputeManagementClient
from azure.mgmt.standbypool import StandbyPoolMgmtClient

ENDPOINT = os.environ["HEADSTART_AZURE_ENDPOINT"]
CA = os.environ["NODE_EXTRA_CA_CERTS"]
GROUP = os.environ["AZURE_RESOURCE_GROUP"]
POOL = "warm"
BEGAN = time.monotonic()
count = 0


def ok(what):
    global count
    count += 1
    print(f"{time.monotonic() - BEGAN:6.1f}s  {what}", flush=True)


def expect(what, seen, wanted):
    if seen != wanted:
        raise SystemExit(f"{what}: expected {wanted!r}, got {seen!r}")


def until(what, look, wanted):
    end = time.monotonic() + 20
    while (seen := look()) != wanted:
        if time.monotonic() > end:
            raise SystemExit(f"{what}: expected {wanted!r}, got {seen!r}")
        time.sleep(0.1)
    ok(what)


credential = ClientSecretCredential(
    os.environ["AZURE_TENANT_ID"],
    os.environ["AZURE_CLIENT_ID"],
    os.environ["AZURE_CLIENT_SECRET"],
    authority=os.environ["AZURE_AUTHORITY_HOST"],
    disable_instance_discovery=True,
    connection_verify=CA,
)
options = {
    "base_url": ENDPOINT,
    "credential_scopes": ["https://management.azure.com/.default"],
    "connection_verify": CA,
    "polling_interval": 1,
}
compute = ComputeManagementClient(credential, os.environ["AZURE_SUBSCRIPTION_ID"], **options)
client = StandbyPoolMgmtClient(credential, os.environ["AZURE_SUBSCRIPTION_ID"], **options)
pools, views, members = (
    client.standby_virtual_machine_pools,
    client.standby_virtual_machine_pool_runtime_views,
    client.standby_virtual_machines,
)
print(f"azure-mgmt-standbypool {version('azure-mgmt-standbypool')}", flush=True)


def counts():
    found = {}
    for summary in views.get(GROUP, POOL, "latest").properties.instance_count_summary:
        for one in summary.instance_counts_by_state:
            if one.count > 0:
                found[one.state] = found.get(one.state, 0) + one.count
    return found


def health():
    return views.get(GROUP, POOL, "latest").properties.status.code


def resource(ready, state):
    return {
        "location": scale_set.location,
        "properties": {
            "attachedVirtualMachineScaleSetId": scale_set.id,
            "elasticityProfile": {"maxReadyCapacity": ready, "minReadyCapacity": ready},
            "virtualMachineState": state,
        },
    }


def ids():
    return {one.properties.virtual_machine_resource_id for one in members.list_by_standby_virtual_machine_pool_resource(GROUP, POOL)}


def is_in_pool(vm):
    return compute.virtual_machines.get(GROUP, vm, expand="instanceView").instance_view.is_vm_in_standby_pool


def instances():
    return {one.name for one in compute.virtual_machine_scale_set_vms.list(GROUP, scale_set.name)}


def grow(capacity):
    compute.virtual_machine_scale_sets.begin_update(GROUP, scale_set.name, {"sku": {"capacity": capacity}}).result(60)


[scale_set] = list(compute.virtual_machine_scale_sets.list(GROUP))
before = instances()

# Create.
made = pools.begin_create_or_update(GROUP, POOL, resource(2, "Deallocated")).result(60)
expect("the state", made.properties.provisioning_state, "Succeeded")
expect("lists", [one.name for one in pools.list_by_resource_group(GROUP)], [one.name for one in pools.list_by_subscription()])
ok(f"made {POOL} for {scale_set.name}")
until("two VMs are deallocated", counts, {"Deallocated": 2})
parked = ids()
expect("in the pool", [is_in_pool(one.split("/")[-1]) for one in parked], [True, True])
expect("instances", instances(), before)
ok("neither is an instance of the set")

# Grow and claim.
grow(len(before) + 1)
[joined] = instances() - before
expect("it was in the pool", joined in {one.split("/")[-1] for one in parked}, True)
expect("it has left the pool", is_in_pool(joined), False)
ok(f"the set took {joined} from the pool")
until("the pool is full again", counts, {"Deallocated": 2})
grow(len(before) + 4)
cold = [one for one in instances() - before if is_in_pool(one) is None]
expect("new VMs for what the pool lacked", len(cold), 1)
ok("the set got a new VM for what the pool lacked")

# Degrade.
until("the pool is full again", counts, {"Deallocated": 2})
pools.begin_create_or_update(GROUP, POOL, resource(3, "Running")).result(60)
expect("health", health(), "HealthState/degraded")
ok("the pool is degraded")
until("and makes the missing VM later", counts, {"Running": 3})
expect("health", health(), "HealthState/healthy")

# Delete.
pools.begin_delete(GROUP, POOL).result(60)
try:
    pools.get(GROUP, POOL)
    raise SystemExit("the pool is still there")
except ResourceNotFoundError:
    ok("deleted the pool")
expect("instances", len(instances()), len(before) + 4)
names = {one.name for one in compute.virtual_machines.list(GROUP)}
expect("VMs", names, instances())
ok("its VMs are gone, the set's stay")
try:
    pools.begin_create_or_update(GROUP, POOL, resource(1, "Paused"))
    raise SystemExit("an unknown state was not refused")
except HttpResponseError as error:
    expect("status", error.status_code, 400)
    ok("an unknown state is refused")
print(f"done: {count} steps", flush=True)
