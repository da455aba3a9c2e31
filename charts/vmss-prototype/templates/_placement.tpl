{{/* Where may the pod run? On Linux, on the control plane if so asked, and never on the node that it is about to stop. */}}
{{- define "vmss-prototype.placement" -}}
{{- $donor := .Values.kamino.targetNode }}
{{- $onControlPlane := .Values.kamino.scheduleOnControlPlane }}
nodeSelector:
  {{- toYaml (merge (dict) .Values.nodeSelector (dict "kubernetes.io/os" "linux")) | nindent 2 }}
{{- if or $onControlPlane .Values.tolerations }}
tolerations:
  {{- if $onControlPlane }}
  - key: node-role.kubernetes.io/control-plane
    operator: Exists
  - key: node-role.kubernetes.io/master
    operator: Exists
  {{- end }}
  {{- with .Values.tolerations }}
  {{- toYaml . | nindent 2 }}
  {{- end }}
{{- end }}
{{- if or $onControlPlane $donor }}
affinity:
  nodeAffinity:
    requiredDuringSchedulingIgnoredDuringExecution:
      nodeSelectorTerms:
        {{- if $onControlPlane }}
        # Clusters from before Kubernetes 1.20 have the second label only; one of the two is enough.
        {{- range list "control-plane" "master" }}
        - matchExpressions:
            - key: node-role.kubernetes.io/{{ . }}
              operator: Exists
          {{- include "vmss-prototype.notOnDonor" $donor | nindent 10 }}
        {{- end }}
        {{- else }}
        - {{- include "vmss-prototype.notOnDonor" $donor | nindent 10 }}
        {{- end }}
{{- end }}
{{- end -}}

{{/* By the node's name, not by its host name label: the two may differ. */}}
{{- define "vmss-prototype.notOnDonor" -}}
{{- with . -}}
matchFields:
  - key: metadata.name
    operator: NotIn
    values: [{{ . | quote }}]
{{- end -}}
{{- end -}}
