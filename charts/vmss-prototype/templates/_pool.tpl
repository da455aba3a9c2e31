{{/* Which pool and which helper pod may a run touch? Its rights are limited to their names. */}}

{{/* Not empty: a run. Empty: a status run. */}}
{{- define "vmss-prototype.isRun" -}}
{{- if and .Values.kamino.targetNode .Values.targetPool -}}
{{- fail "kamino.targetNode and targetPool exclude each other: the first names the donor, the second lets the run choose it" -}}
{{- end -}}
{{- .Values.kamino.targetNode | default .Values.targetPool -}}
{{- end -}}

{{/*
The scale set's resource id in lower case. Helm asks the cluster for it where the values have a name only: the provider
id of a node of a Uniform scale set contains it. Empty if neither knows it: `helm template`, a Flexible scale set, a node
that is gone.
*/}}
{{- define "vmss-prototype.poolId" -}}
{{- $given := lower (.Values.targetPool | default .Values.pool | default "") -}}
{{- $node := .Values.kamino.targetNode -}}
{{- if hasPrefix "/" $given -}}
{{- $given -}}
{{- else if or $node $given -}}
{{- $nodes := list -}}
{{- if $node -}}
{{- with lookup "v1" "Node" "" $node -}}{{- $nodes = list . -}}{{- end -}}
{{- else -}}
{{- $nodes = get (lookup "v1" "Node" "" "") "items" | default list -}}
{{- end -}}
{{- $ids := dict -}}
{{- range $nodes -}}
{{- $id := lower (dig "spec" "providerID" "" .) | mustRegexFind "/subscriptions/[^/]+/resourcegroups/[^/]+/providers/microsoft\\.compute/virtualmachinescalesets/[^/]+" -}}
{{- if and $id $node $given (ne (base $id) $given) -}}
{{- fail (printf "kamino.targetNode %s is an instance of %s, but pool is %s" $node (base $id) $given) -}}
{{- end -}}
{{- if and $id (or $node (eq (base $id) $given)) -}}{{- $_ := set $ids $id true -}}{{- end -}}
{{- end -}}
{{- if gt (len $ids) 1 -}}
{{- fail (printf "this cluster has nodes of several scale sets called %s: give the resource id of one of them instead of the name: %s" $given (keys $ids | sortAlpha | join ", ")) -}}
{{- end -}}
{{- if $ids -}}{{- keys $ids | first -}}{{- end -}}
{{- end -}}
{{- end -}}

{{/* The end of the names of the pool's Lease, saved model and last run, as in src/prototype/names.ts. */}}
{{- define "vmss-prototype.poolName" -}}
{{- with include "vmss-prototype.poolId" . -}}
{{- printf "%s-%s" (include "vmss-prototype.formerPoolName" . | trunc 34) (sha256sum . | trunc 8) -}}
{{- end -}}
{{- end -}}

{{/* The same in the first release, from the id. */}}
{{- define "vmss-prototype.formerPoolName" -}}
{{- mustRegexReplaceAllLiteral "[^a-z0-9-]" (base .) "-" -}}
{{- end -}}

{{/* With a target node, the name that every run of that node uses; else one of this release, because the donor is not known. */}}
{{- define "vmss-prototype.helperName" -}}
{{- $of := .Values.kamino.targetNode | default (printf "%s/%s" .Release.Namespace .Release.Name) -}}
headstart-run-{{ sha256sum $of | trunc 16 }}
{{- end -}}
