{{/* The documented name of the job is the release's own. A CronJob's name holds 52 characters at most. */}}
{{- define "vmss-prototype.name" -}}
{{- .Release.Name | trunc 52 | trimSuffix "-" -}}
{{- end -}}

{{/* A job cannot be changed: `helm upgrade` makes another job, and removes the one before it, unless that still runs (_running-job.tpl). */}}
{{- define "vmss-prototype.jobName" -}}
{{- include "vmss-prototype.name" . -}}{{- if gt (int .Release.Revision) 1 -}}-r{{ .Release.Revision }}{{- end -}}
{{- end -}}

{{/* Names of objects outside the release's namespace: they must differ for two releases of one name in two namespaces. */}}
{{- define "vmss-prototype.clusterName" -}}
{{- printf "%s:%s" .Release.Namespace (include "vmss-prototype.name" .) -}}
{{- end -}}

{{- define "vmss-prototype.eventsName" -}}
{{- printf "%s:events" (include "vmss-prototype.clusterName" .) -}}
{{- end -}}

{{- define "vmss-prototype.serviceAccountName" -}}
{{- .Values.serviceAccount.name | default (include "vmss-prototype.name" .) -}}
{{- end -}}

{{- define "vmss-prototype.labels" -}}
app.kubernetes.io/name: {{ .Chart.Name }}
app.kubernetes.io/instance: {{ .Release.Name | quote }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version | replace "+" "_" }}
{{- end -}}

{{- define "vmss-prototype.image" -}}
{{- $_ := required "image.repository is required, because no image of headstart is published yet. Build one with `make image`, push it to a registry of yours, and add --set image.repository=REGISTRY/headstart" .Values.image.repository -}}
{{- with .Values.image -}}
{{- if .digest -}}
{{ .repository }}@{{ .digest }}
{{- else -}}
{{ .repository }}:{{ .tag | default $.Chart.AppVersion }}
{{- end -}}
{{- end -}}
{{- end -}}
