{{- define "vmss-prototype.podSpec" -}}
serviceAccountName: {{ include "vmss-prototype.serviceAccountName" . | quote }}
restartPolicy: Never
terminationGracePeriodSeconds: {{ int64 .Values.job.terminationGracePeriodSeconds }}
{{- if .Values.hostNetwork }}
hostNetwork: true
dnsPolicy: ClusterFirstWithHostNet
{{- end }}
securityContext:
  runAsNonRoot: true
  runAsUser: 65532
  runAsGroup: 65532
  fsGroup: 65532
  seccompProfile:
    type: RuntimeDefault
{{- with .Values.image.pullSecrets }}
imagePullSecrets:
  {{- range . }}
  - name: {{ . | quote }}
  {{- end }}
{{- end }}
{{- include "vmss-prototype.placement" . }}
{{- if .Values.azureJson.mount }}
initContainers:
  # Only root may read that file on the machine. This copies that one file, as root without any capability, to memory
  # that the program's group can read; the program itself is never root and never sees the machine's files.
  - name: read-azure-json
    image: {{ include "vmss-prototype.image" . | quote }}
    imagePullPolicy: {{ .Values.image.pullPolicy }}
    command: [/usr/bin/node, /opt/headstart/copy-host-file.js, /host/azure.json, /copy/azure.json]
    securityContext:
      runAsNonRoot: false
      runAsUser: 0
      {{- include "vmss-prototype.confinement" . | nindent 6 }}
    resources:
      {{- toYaml .Values.resources | nindent 6 }}
    volumeMounts:
      - name: host-azure-json
        mountPath: /host/azure.json
        readOnly: true
      - name: azure-json
        mountPath: /copy
{{- end }}
containers:
  - name: headstart
    image: {{ include "vmss-prototype.image" . | quote }}
    imagePullPolicy: {{ .Values.image.pullPolicy }}
    args:
      {{- include "vmss-prototype.args" . | nindent 6 }}
    env:
      # The pod that looks at the donor and seals it is made from this same image.
      - name: HEADSTART_HELPER_IMAGE
        value: {{ include "vmss-prototype.image" . | quote }}
      # A run that chooses the donor must not choose the node that it runs on.
      - name: NODE_NAME
        valueFrom:
          fieldRef:
            fieldPath: spec.nodeName
      {{- with .Values.image.pullSecrets }}
      - name: HEADSTART_HELPER_PULL_SECRETS
        value: {{ join "," . | quote }}
      {{- end }}
      {{- if .Values.targetPool }}
      - name: HEADSTART_HELPER_NAME
        value: {{ include "vmss-prototype.helperName" . | quote }}
      {{- end }}
      {{- with .Values.extraEnv }}
      {{- toYaml . | nindent 6 }}
      {{- end }}
    securityContext:
      {{- include "vmss-prototype.confinement" . | nindent 6 }}
    resources:
      {{- toYaml .Values.resources | nindent 6 }}
    {{- if or .Values.azureJson.mount .Values.extraVolumeMounts }}
    volumeMounts:
      {{- if .Values.azureJson.mount }}
      - name: azure-json
        mountPath: /etc/kubernetes
        readOnly: true
      {{- end }}
      {{- with .Values.extraVolumeMounts }}
      {{- toYaml . | nindent 6 }}
      {{- end }}
    {{- end }}
{{- if or .Values.azureJson.mount .Values.extraVolumes }}
volumes:
  {{- if .Values.azureJson.mount }}
  - name: host-azure-json
    hostPath:
      path: {{ .Values.azureJson.hostPath | quote }}
      type: File
  - name: azure-json
    emptyDir:
      medium: Memory
      sizeLimit: 1Mi
  {{- end }}
  {{- with .Values.extraVolumes }}
  {{- toYaml . | nindent 2 }}
  {{- end }}
{{- end }}
{{- end -}}

{{- define "vmss-prototype.confinement" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
capabilities:
  drop: [ALL]
{{- end -}}

{{- define "vmss-prototype.args" -}}
{{- $logLevel := eq .Values.kamino.logLevel "VERBOSE" | ternary "DEBUG" .Values.kamino.logLevel -}}
- prototype
{{- if include "vmss-prototype.isRun" . }}
- run
{{- if .Values.targetPool }}
- {{ printf "--pool=%s" .Values.targetPool | quote }}
{{- else }}
- --node={{ .Values.kamino.targetNode }}
{{- end }}
- --image-history={{ int64 .Values.kamino.imageHistory }}
- --drain-grace-period={{ int64 .Values.kamino.drain.gracePeriod }}
{{- if .Values.kamino.drain.force }}
- --drain-force
{{- end }}
- --log-level={{ $logLevel }}
- --namespace={{ .Values.sharedNamespace }}
{{- else }}
- status
{{- with .Values.pool }}
- --pool={{ . }}
{{- end }}
{{- end }}
{{- range .Values.extraArgs }}
- {{ . | quote }}
{{- end }}
{{- end -}}
