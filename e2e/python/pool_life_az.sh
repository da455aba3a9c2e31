#!/bin/bash
# Does the Azure CLI get through the whole life of a pool on `headstart sim azure`? Prints a line for each step.
# Reads the variables that the simulator prints; ends with 1 at the first answer that is not as expected.
set -euo pipefail
unset AZURE_SUBSCRIPTION_NAME
export AZURE_CONFIG_DIR=${AZURE_CONFIG_DIR:?a folder of its own: the settings of a person stay as they are}
export REQUESTS_CA_BUNDLE=$NODE_EXTRA_CA_CERTS AZURE_CORE_COLLECT_TELEMETRY=false AZURE_CORE_ONLY_SHOW_ERRORS=true
export AZURE_CORE_INSTANCE_DISCOVERY=false # the public cloud does not know this host
group=$AZURE_RESOURCE_GROUP
count=0

ok() {
  count=$((count + 1))
  printf '%5ss  %s\n' "$SECONDS" "$*"
}

# What a command prints is what is wanted: expect WANTED az …
expect() {
  local wanted=$1 seen
  shift
  seen=$("$@") || { echo "failed: $*" >&2; exit 1; }
  [ "$seen" = "$wanted" ] || { printf 'expected %q, got %q: %s\n' "$wanted" "$seen" "$*" >&2; exit 1; }
}

# The command fails with this code of an error: refused CODE az …
refused() {
  local code=$1 said
  shift
  if said=$("$@" 2>&1); then echo "was not refused: $*" >&2; exit 1; fi
  [[ $said == *"$code"* ]] || { printf 'expected %s, got %s: %s\n' "$code" "$said" "$*" >&2; exit 1; }
  ok "refused with $code: ${*:1:3}"
}

quiet() {
  "$@" >/dev/null || { echo "failed: $*" >&2; exit 1; }
}

# Log in, as docs/simulator.md says.
az cloud register --name headstart-sim --endpoint-resource-manager "$HEADSTART_AZURE_ENDPOINT"
az cloud set --name headstart-sim
quiet az login --service-principal --username "$AZURE_CLIENT_ID" --password "$AZURE_CLIENT_SECRET" --tenant "$AZURE_TENANT_ID"
expect "$AZURE_SUBSCRIPTION_ID" az account show --query id -o tsv
expect "$group" az group show -n "$group" --query name -o tsv
ok 'registered the simulator as a cloud and logged in'

# Look around.
pool=$(az vmss list -g "$group" --query '[].name' -o tsv)
model=virtualMachineProfile.storageProfile.imageReference
set_=(-g "$group" -n "$pool")
region=$(az vmss show "${set_[@]}" --query location -o tsv)
expect $'0\n1\n2' az vmss list-instances "${set_[@]}" --query '[].instanceId' -o tsv
expect 3 az vmss list-instances "${set_[@]}" --expand instanceView --filter "startswith(instanceView/statuses/code,'PowerState')" --query 'length(@)' -o tsv
power=(az vmss get-instance-view "${set_[@]}" --instance-id 0 --query "statuses[?starts_with(code,'PowerState/')].code | [0]" -o tsv)
expect PowerState/running "${power[@]}"
expect 3 az vmss get-instance-view "${set_[@]}" --instance-id '*' --query 'length(@)' -o tsv
expect 3 az vmss get-instance-view "${set_[@]}" --query 'virtualMachine.statusesSummary[0].count' -o tsv
expect 3 az vmss extension list -g "$group" --vmss-name "$pool" --query 'length(@)' -o tsv
expect 4 az vmss list-skus "${set_[@]}" --query 'length(@)' -o tsv
expect 3 az vm list-usage -l "$region" --query "[?name.value=='virtualMachines'].currentValue | [0]" -o tsv
expect Standard_D4s_v5 az vm list-skus -l "$region" --size Standard_D4s_v5 --query '[0].name' -o tsv
ok "read $pool in $region: instances, views, extensions, sizes, usages"

# Protect and stop the donor, copy its disk, start it.
quiet az vmss update "${set_[@]}" --instance-id 0 --protect-from-scale-in true --protect-from-scale-set-actions true
quiet az vmss stop "${set_[@]}" --instance-ids 0
expect PowerState/running "${power[@]}"
quiet az vmss update "${set_[@]}" --instance-id 0 --protect-from-scale-set-actions false
quiet az vmss stop "${set_[@]}" --instance-ids 0
expect PowerState/stopped "${power[@]}"
ok 'stopped the donor, not while it was protected from actions of the set'
disk=$(az vmss list-instances "${set_[@]}" --query '[0].storageProfile.osDisk.managedDisk.id' -o tsv)
snapshot=$(az snapshot create -g "$group" -n life --source "$disk" --query id -o tsv)
expect Succeeded az snapshot show -g "$group" -n life --query provisioningState -o tsv
expect 1 az snapshot list -g "$group" --query 'length(@)' -o tsv
ok 'took a snapshot'
quiet az vmss start "${set_[@]}" --instance-ids 0
expect PowerState/running "${power[@]}"
quiet az vmss update "${set_[@]}" --instance-id 0 --protect-from-scale-in false
for action in deallocate start restart; do quiet az vmss $action "${set_[@]}" --instance-ids 1; done
quiet az vmss reimage "${set_[@]}" --instance-ids 1
ok 'started the donor; deallocated, started, restarted and reimaged another'

# Gallery, definition, version.
quiet az sig create -g "$group" -r SIG_life
quiet az sig update -g "$group" -r SIG_life --set tags.by=life
image=(-g "$group" -r SIG_life -i proto)
quiet az sig image-definition create "${image[@]}" --publisher test --offer life --sku proto --os-type Linux --os-state Generalized --hyper-v-generation V2
version=$(az sig image-version create "${image[@]}" -e 1.0.0 --os-snapshot "$snapshot" --replica-count 3 --target-regions "$region=3=standard_zrs" --query id -o tsv)
expect Succeeded az sig image-version show "${image[@]}" -e 1.0.0 --query provisioningState -o tsv
for _ in $(seq 60); do
  replication=$(az sig image-version show "${image[@]}" -e 1.0.0 --expand ReplicationStatus --query replicationStatus.aggregatedState -o tsv)
  [ "$replication" != Completed ] || break
done
[ "$replication" = Completed ] || { echo "replication: $replication" >&2; exit 1; }
quiet az sig image-version update "${image[@]}" -e 1.0.0 --set publishingProfile.excludeFromLatest=true
expect true az sig image-version show "${image[@]}" -e 1.0.0 --query publishingProfile.excludeFromLatest -o tsv
ok 'made a gallery, a definition and a version that is replicated'

# Switch the pool with the very call of the first vmss-prototype, scale it, roll it back.
marketplace=$(az vmss show "${set_[@]}" --query "$model" -o json)
quiet az vmss update "${set_[@]}" --set "$model.id=$version" "$model.publisher=null" "$model.offer=null" "$model.sku=null" "$model.version=null"
expect "$version" az vmss show "${set_[@]}" --query "$model.id" -o tsv
expect None az vmss show "${set_[@]}" --query "$model.publisher || 'None'" -o tsv
ok 'put the pool on the version with az vmss update --set'
first=$(az vmss extension list -g "$group" --vmss-name "$pool" --query '[0].name' -o tsv)
quiet az vmss extension delete -g "$group" --vmss-name "$pool" -n "$first"
quiet az vmss scale "${set_[@]}" --new-capacity 4
expect "$version" az vmss list-instances "${set_[@]}" --query "[?instanceId=='3'].storageProfile.imageReference.id | [0]" -o tsv
ok "removed $first and scaled out"
refused OperationNotAllowed az vmss scale "${set_[@]}" --new-capacity 1001
refused PropertyChangeNotAllowed az vmss update "${set_[@]}" --set virtualMachineProfile.osProfile.computerNamePrefix=other
quiet az vmss update "${set_[@]}" --set "$model=$marketplace"
expect Canonical az vmss show "${set_[@]}" --query "$model.publisher" -o tsv
quiet az vmss update-instances "${set_[@]}" --instance-ids 3
quiet az vmss delete-instances "${set_[@]}" --instance-ids 3
quiet az vmss scale "${set_[@]}" --new-capacity 2
expect $'0\n1' az vmss list-instances "${set_[@]}" --query '[].instanceId' -o tsv
ok 'rolled back, upgraded and deleted an instance, scaled in'

# Remove everything, parents last.
refused CannotDeleteResource az sig delete -g "$group" -r SIG_life
quiet az sig image-version delete "${image[@]}" -e 1.0.0
quiet az sig image-definition delete "${image[@]}"
quiet az sig delete -g "$group" -r SIG_life
quiet az snapshot delete -g "$group" -n life
quiet az vmss delete "${set_[@]}"
expect 0 az vmss list -g "$group" --query 'length(@)' -o tsv
expect 0 az disk list -g "$group" --query 'length(@)' -o tsv
ok 'removed the version, the definition, the gallery, the snapshot and the pool'
echo "done: $count steps in ${SECONDS} s"
