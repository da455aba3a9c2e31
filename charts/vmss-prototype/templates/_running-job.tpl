{{/*
A Job of this release whose pod runs the program, as JSON: `helm upgrade` keeps it and makes no other one. Empty: none; a pod
that could not start yet (a wrong image, no room) is not kept, because an upgrade is how that is repaired.
*/}}
{{- define "vmss-prototype.runningJob" -}}
{{- if .Release.IsUpgrade -}}
{{- range get (lookup "batch/v1" "Job" .Release.Namespace "") "items" | default list -}}
{{- $labels := .metadata.labels | default dict -}}
{{- $isOurs := and (eq (get $labels "app.kubernetes.io/instance") $.Release.Name) (eq (get $labels "app.kubernetes.io/name") $.Chart.Name) (not .metadata.ownerReferences) -}}
{{- $status := .status | default dict -}}
{{- if and $isOurs (get $status "active") (get $status "ready") (not .metadata.deletionTimestamp) -}}
{{- include "vmss-prototype.expectSameRun" (list . $) -}}
{{- toJson . -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- end -}}

{{/*
The upgrade gives the account the rights of the new values. A run that lost the rights on its donor could not return it to
service.
*/}}
{{- define "vmss-prototype.expectSameRun" -}}
{{- $job := first . -}}
{{- $top := last . -}}
{{- $pod := $job.spec.template.spec -}}
{{- $now := include "vmss-prototype.whatRuns" (list (first $pod.containers).args $pod.serviceAccountName) -}}
{{- $next := include "vmss-prototype.whatRuns" (list (include "vmss-prototype.args" $top | fromYamlArray) (include "vmss-prototype.serviceAccountName" $top)) -}}
{{- if ne $now $next -}}
{{- fail (printf "job %s still runs: %s. These values ask for: %s. Nothing was changed. Wait for its end: kubectl --namespace %s wait job/%s --for=condition=complete --timeout=9h; or stop it, which returns the donor to service: kubectl --namespace %s delete job %s" $job.metadata.name $now $next $top.Release.Namespace $job.metadata.name $top.Release.Namespace $job.metadata.name) -}}
{{- end -}}
{{- end -}}

{{/* What needs rights: the verb, the donor or pool, the shared namespace, a forced drain, the account. */}}
{{- define "vmss-prototype.whatRuns" -}}
{{- $parts := list -}}
{{- range first . -}}
{{- if or (has . (list "run" "status" "--drain-force")) (hasPrefix "--node=" .) (hasPrefix "--pool=" .) (hasPrefix "--namespace=" .) -}}
{{- $parts = append $parts . -}}
{{- end -}}
{{- end -}}
{{- printf "%s as %s" (join " " $parts) (last .) -}}
{{- end -}}
