"""Does Microsoft's Python SDK get through the whole life of a pool on `headstart sim azure`? Prints a line for each step.

Reads the variables that the simulator prints, and nothing else; ends with 1 at the first answer that is not as expected.
"""

import io
import os
import time
from importlib.metadata import version

from azure.core.exceptions import HttpResponseError, ResourceNotFoundError
from azure.identity import ClientSecretCredential
from azure.mgmt.compute import ComputeManagementClient

ENDPOINT = os.environ["HEADSTART_AZURE_ENDPOINT"]
CA = os.environ["NODE_EXTRA_CA_CERTS"]
GROUP = os.environ["AZURE_RESOURCE_GROUP"]
BEGAN = time.monotonic()
count = 0


def ok(what):
    global count
    count += 1
    print(f"{time.monotonic() - BEGAN:6.1f}s  {what}", flush=True)


def expect(what, seen, wanted):
    if seen != wanted:
        raise SystemExit(f"{what}: expected {wanted!r}, got {seen!r}")


def refused(what, status, code, call):
    try:
        call()
    except HttpResponseError as error:
        expect(f"status of {what}", error.status_code, status)
        expect(f"code of {what}", error.error.code, code)
        if not error.response.headers.get("x-ms-request-id"):
            raise SystemExit(f"{what}: no request id")
        ok(f"refused with {status} {code}: {what}")
        return
    raise SystemExit(f"{what}: was not refused")


def wait(poller):
    return poller.result(timeout=60)


credential = ClientSecretCredential(
    os.environ["AZURE_TENANT_ID"],
    os.environ["AZURE_CLIENT_ID"],
    os.environ["AZURE_CLIENT_SECRET"],
    authority=os.environ["AZURE_AUTHORITY_HOST"],
    disable_instance_discovery=True,
    connection_verify=CA,
)
compute = ComputeManagementClient(
    credential,
    os.environ["AZURE_SUBSCRIPTION_ID"],
    base_url=ENDPOINT,
    credential_scopes=["https://management.azure.com/.default"],
    connection_verify=CA,
    polling_interval=1,
)
print(f"azure-mgmt-compute {version('azure-mgmt-compute')}, azure-identity {version('azure-identity')}", flush=True)
sets, vms = compute.virtual_machine_scale_sets, compute.virtual_machine_scale_set_vms


def power(instance):
    view = vms.get_instance_view(GROUP, pool, instance)
    return next(status.code for status in view.statuses if status.code.startswith("PowerState/"))


# Look around.
[pool] = [one.name for one in sets.list(GROUP)]
expect("sets of the subscription", [one.name for one in sets.list_all()], [pool])
original = sets.get(GROUP, pool)
region = original.location
marketplace = original.virtual_machine_profile.storage_profile.image_reference
expect("the publisher", marketplace.publisher, "Canonical")
ok(f"listed and read {pool} in {region}")
ids = [vm.instance_id for vm in vms.list(GROUP, pool)]
expect("instances", ids, ["0", "1", "2"])
running = vms.list(GROUP, pool, filter="startswith(instanceView/statuses/code,'PowerState')", expand="instanceView")
expect("instances with a power state", [vm.instance_id for vm in running], ids)
expect("power", power("0"), "PowerState/running")
expect("a summary", sets.get_instance_view(GROUP, pool).virtual_machine.statuses_summary[0].count, 3)
ok("listed instances, with filters and views")
extensions = [one.name for one in compute.virtual_machine_scale_set_extensions.list(GROUP, pool)]
on_instance = compute.virtual_machine_scale_set_vm_extensions.list(GROUP, pool, "0")
expect("extensions of an instance", [one.name for one in on_instance.value], extensions)
ok(f"read extensions: {', '.join(extensions)}")
sizes = [one.sku.name for one in sets.list_skus(GROUP, pool)]
expect("its own size is offered", original.sku.name in sizes, True)
expect("machines in use", [one.current_value for one in compute.usage.list(region) if one.name.value == "virtualMachines"], [3])
skus = compute.resource_skus.list(filter=f"location eq '{region}'")
expect("resource SKUs", original.sku.name in [one.name for one in skus], True)
ok("read sizes, usages and resource SKUs")
refused("a set that is not there", 404, "ResourceNotFound", lambda: sets.get(GROUP, "none"))

# Protect and stop the donor, copy its disk, start it.
donor = vms.get(GROUP, pool, "0")
donor.protection_policy = {"protectFromScaleIn": True, "protectFromScaleSetActions": True}
protected = wait(vms.begin_update(GROUP, pool, "0", donor))
expect("protection", protected.protection_policy.protect_from_scale_set_actions, True)
wait(sets.begin_power_off(GROUP, pool, {"instanceIds": ["0"]}))
expect("power of a protected instance that its set was told to stop", power("0"), "PowerState/running")
wait(vms.begin_power_off(GROUP, pool, "0"))
expect("power", power("0"), "PowerState/stopped")
ok("protected and stopped the donor")
disk = compute.disks.get(GROUP, donor.storage_profile.os_disk.managed_disk.id.split("/")[-1])
copied = {"location": region, "properties": {"creationData": {"createOption": "Copy", "sourceResourceId": disk.id}}}
snapshot = wait(compute.snapshots.begin_create_or_update(GROUP, "life", copied))
expect("the snapshot", (snapshot.provisioning_state, snapshot.disk_size_gb), ("Succeeded", disk.disk_size_gb))
expect("snapshots", [one.name for one in compute.snapshots.list_by_resource_group(GROUP)], ["life"])
ok("took a snapshot, and got it from its operation")
access = wait(compute.snapshots.begin_grant_access(GROUP, "life", {"access": "Read", "durationInSeconds": 60}))
expect("an address to read it", access.access_sas.startswith(ENDPOINT), True)
wait(compute.snapshots.begin_revoke_access(GROUP, "life"))
wait(vms.begin_start(GROUP, pool, "0"))
expect("power", power("0"), "PowerState/running")
donor = vms.get(GROUP, pool, "0")
donor.protection_policy = {"protectFromScaleIn": False, "protectFromScaleSetActions": False}
wait(vms.begin_update(GROUP, pool, "0", donor))
ok("started the donor and took its protection away")
for action in (vms.begin_deallocate, vms.begin_start, vms.begin_restart, vms.begin_reimage, vms.begin_reimage_all):
    wait(action(GROUP, pool, "1"))
expect("power", power("1"), "PowerState/running")
ok("deallocated, started, restarted and reimaged another instance")

# Gallery, definition, version.
wait(compute.galleries.begin_create_or_update(GROUP, "SIG_life", {"location": region}))
gallery = wait(compute.galleries.begin_update(GROUP, "SIG_life", {"properties": {"description": "of a test"}}))
expect("description", gallery.description, "of a test")
identifier = {"publisher": "test", "offer": "life", "sku": pool}
properties = {"osType": "Linux", "osState": "Generalized", "hyperVGeneration": "V2", "identifier": identifier}
images = compute.gallery_images
wait(images.begin_create_or_update(GROUP, "SIG_life", "proto", {"location": region, "properties": properties}))
wait(images.begin_update(GROUP, "SIG_life", "proto", {"tags": {"pool": pool}, "properties": properties}))
expect("tags", images.get(GROUP, "SIG_life", "proto").tags, {"pool": pool})
ok("made and changed a gallery and an image definition")
versions = compute.gallery_image_versions
publishing = {"replicaCount": 3, "storageAccountType": "Standard_ZRS", "targetRegions": [{"name": region}], "excludeFromLatest": True}
body = {
    "location": region,
    "properties": {"storageProfile": {"osDiskImage": {"source": {"id": snapshot.id}}}, "publishingProfile": publishing},
}
made = wait(versions.begin_create_or_update(GROUP, "SIG_life", "proto", "1.0.0", body))
expect("the version", made.provisioning_state, "Succeeded")
for _ in range(60):
    shown = versions.get(GROUP, "SIG_life", "proto", "1.0.0", expand="ReplicationStatus")
    if shown.replication_status.aggregated_state == "Completed":
        break
    time.sleep(0.2)
expect("replication", [one.progress for one in shown.replication_status.summary], [100])
change = {"properties": {"publishingProfile": {**publishing, "excludeFromLatest": False}}}
wait(versions.begin_update(GROUP, "SIG_life", "proto", "1.0.0", change))
expect("excluded", versions.get(GROUP, "SIG_life", "proto", "1.0.0").publishing_profile.exclude_from_latest, False)
ok("made a version, saw it replicate and listed it as the latest")

# Switch the pool, scale it, roll it back.
read = sets.get(GROUP, pool)
wait(sets.begin_create_or_update(GROUP, pool, read))
expect("instances on the newest model after a PUT of what was read", [vm.latest_model_applied for vm in vms.list(GROUP, pool)], [True] * 3)
tag = {"tags": {"by": "life"}}
etag = sets.get(GROUP, pool).etag
wait(sets.begin_update(GROUP, pool, tag, headers={"If-Match": etag}))
refused("a change with an old ETag", 412, "PreconditionFailed", lambda: wait(sets.begin_update(GROUP, pool, tag, headers={"If-Match": etag})))
new_only = {"If-None-Match": "*"}
refused("a new set of a taken name", 412, "PreconditionFailed", lambda: wait(sets.begin_create_or_update(GROUP, pool, read, headers=new_only)))
refused("1001 instances", 409, "OperationNotAllowed", lambda: wait(sets.begin_update(GROUP, pool, {"sku": {"capacity": 1001}})))
moved = {"location": "eastus", "sku": {"capacity": 3}}
refused("another region", 409, "InvalidResourceLocation", lambda: wait(sets.begin_create_or_update(GROUP, pool, moved)))
unknown = io.BytesIO(b'{"properties": {"bogus": 1}}')  # the SDK would drop it from a dictionary
refused("an unknown property", 400, "BadRequest", lambda: wait(sets.begin_update(GROUP, pool, unknown)))
read = sets.get(GROUP, pool)
read.virtual_machine_profile.storage_profile.image_reference = {"id": made.id}
wait(sets.begin_create_or_update(GROUP, pool, read))
switched = sets.get(GROUP, pool).virtual_machine_profile.storage_profile.image_reference
expect("the image of the pool", (switched.id, switched.publisher), (made.id, None))
expect("instances on the newest model", [vm.latest_model_applied for vm in vms.list(GROUP, pool)], [False] * 3)
ok("put the pool on the version, as a client that changes what it read")
wait(compute.virtual_machine_scale_set_extensions.begin_delete(GROUP, pool, extensions[0]))
wait(sets.begin_update(GROUP, pool, {"sku": {"name": original.sku.name, "capacity": 4}}))
born = vms.get(GROUP, pool, "3")
expect("the image of a new instance", born.storage_profile.image_reference.id, made.id)
expect("extensions of a new instance", [one.name for one in born.resources or []], extensions[1:])
ok("removed the first extension and scaled out")
read = sets.get(GROUP, pool)
read.virtual_machine_profile.storage_profile.image_reference = marketplace
wait(sets.begin_create_or_update(GROUP, pool, read))
back = sets.get(GROUP, pool).virtual_machine_profile.storage_profile.image_reference
expect("the image of the pool", (back.id, back.publisher), (None, "Canonical"))
wait(sets.begin_update_instances(GROUP, pool, {"instanceIds": ["3"]}))
wait(sets.begin_delete_instances(GROUP, pool, {"instanceIds": ["3"]}))
wait(sets.begin_update(GROUP, pool, {"sku": {"name": original.sku.name, "capacity": 2}}))
expect("instances", [vm.instance_id for vm in vms.list(GROUP, pool)], ["0", "1"])
ok("rolled back, upgraded and deleted an instance, scaled in")

# Remove everything, parents last.
refused("a gallery with images", 409, "CannotDeleteResource", lambda: wait(compute.galleries.begin_delete(GROUP, "SIG_life")))
wait(versions.begin_delete(GROUP, "SIG_life", "proto", "1.0.0"))
wait(images.begin_delete(GROUP, "SIG_life", "proto"))
wait(compute.galleries.begin_delete(GROUP, "SIG_life"))
wait(compute.snapshots.begin_delete(GROUP, "life"))
wait(sets.begin_delete(GROUP, pool))
expect("what is left", [*sets.list(GROUP), *compute.galleries.list_by_resource_group(GROUP), *compute.disks.list_by_resource_group(GROUP)], [])
try:
    compute.snapshots.get(GROUP, "life")
    raise SystemExit("the snapshot is still there")
except ResourceNotFoundError:
    ok("removed the version, the definition, the gallery, the snapshot and the pool")
print(f"done: {count} steps", flush=True)
