{{/* What is run, once or on a schedule. */}}
{{- define "vmss-prototype.jobSpec" -}}
backoffLimit: {{ int64 .Values.job.backoffLimit }}
activeDeadlineSeconds: {{ int64 .Values.job.activeDeadlineSeconds }}
ttlSecondsAfterFinished: {{ int64 .Values.job.ttlSecondsAfterFinished }}
{{- if semverCompare ">=1.26-0" .Capabilities.KubeVersion.Version }}
podFailurePolicy:
  rules:
    # The pod's machine went away under it: nothing that counts against the run.
    - action: Ignore
      onPodConditions:
        - type: DisruptionTarget
    # It said no and left the donor in service: asking again would only drain it again. Every other end is resumed.
    - action: FailJob
      onExitCodes:
        containerName: headstart
        operator: In
        values: [1, 2, 3]
{{- end }}
template:
  metadata:
    labels:
      {{- include "vmss-prototype.labels" . | nindent 6 }}
      {{- if .Values.workloadIdentity.clientId }}
      azure.workload.identity/use: 'true'
      {{- end }}
    annotations:
      cluster-autoscaler.kubernetes.io/safe-to-evict: 'false'
  spec:
    {{- include "vmss-prototype.podSpec" . | nindent 4 }}
{{- end -}}
