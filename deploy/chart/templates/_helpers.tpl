{{- define "memory.name" -}}
{{- if contains .Chart.Name .Release.Name -}}{{ .Release.Name | trunc 50 | trimSuffix "-" }}{{- else -}}
{{ printf "%s-%s" .Release.Name .Chart.Name | trunc 50 | trimSuffix "-" }}{{- end -}}
{{- end }}

{{- define "memory.selector" -}}
app.kubernetes.io/name: {{ .root.Chart.Name }}
app.kubernetes.io/instance: {{ .root.Release.Name }}
app.kubernetes.io/component: {{ .component }}
{{- end }}

{{- define "memory.labels" -}}
{{ include "memory.selector" . }}
app.kubernetes.io/version: {{ .root.Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .root.Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .root.Chart.Name .root.Chart.Version }}
{{- end }}

{{- define "memory.image" -}}
{{ .Values.image.repository }}:{{ .Values.image.tag | default .Chart.AppVersion }}
{{- end }}

{{- define "memory.serviceAccount" -}}
{{ .Values.serviceAccount.name | default (ternary (include "memory.name" .) "default" .Values.serviceAccount.create) }}
{{- end }}

{{/* What every pod of ours is: without root, tokens and unknown system calls. */}}
{{- define "memory.podSecurity" -}}
automountServiceAccountToken: false
enableServiceLinks: false
securityContext:
  runAsNonRoot: true
  runAsUser: 10001
  runAsGroup: 10001
  fsGroup: 10001
  seccompProfile: {type: RuntimeDefault}
{{- with .Values.image.pullSecrets }}
imagePullSecrets: {{ toYaml . | nindent 2 }}
{{- end }}
{{- end }}

{{- define "memory.container" -}}
image: {{ include "memory.image" . | quote }}
imagePullPolicy: {{ .Values.image.pullPolicy }}
securityContext:
  allowPrivilegeEscalation: false
  readOnlyRootFilesystem: true
  capabilities: {drop: [ALL]}
volumeMounts:
  - {name: tmp, mountPath: /tmp}
{{- end }}

{{- define "memory.placement" -}}
{{- with .nodeSelector }}
nodeSelector: {{ toYaml . | nindent 2 }}
{{- end }}
{{- with .tolerations }}
tolerations: {{ toYaml . | nindent 2 }}
{{- end }}
{{- with .affinity }}
affinity: {{ toYaml . | nindent 2 }}
{{- end }}
{{- end }}

{{- define "memory.spread" -}}
topologySpreadConstraints:
  - maxSkew: 1
    topologyKey: kubernetes.io/hostname
    whenUnsatisfiable: ScheduleAnyway
    labelSelector:
      matchLabels: {{ include "memory.selector" . | nindent 8 }}
{{- end }}

{{/* Kubernetes itself puts the pod's address into $(POD_IP): probes and Prometheus call the web by it. */}}
{{- define "memory.environment" -}}
{{- $origins := list -}}
{{- range .Values.hosts }}{{ $origins = append $origins (printf "%s://%s" (ternary "https" "http" $.Values.tls) .) }}{{ end -}}
env:
  - name: POD_IP
    valueFrom: {fieldRef: {fieldPath: status.podIP}}
  - name: ALLOWED_HOSTS
    value: {{ printf "%s,localhost,$(POD_IP),[$(POD_IP)]" (join "," .Values.hosts) | quote }}
  - name: CSRF_TRUSTED_ORIGINS
    value: {{ join "," $origins | quote }}
  - name: SECURE_COOKIES
    value: {{ ternary "True" "False" .Values.tls | quote }}
  - name: TRUSTED_PROXIES
    value: {{ .Values.trustedProxies | quote }}
{{- with .Values.tracing.endpoint }}
  - name: OTEL_EXPORTER_OTLP_ENDPOINT
    value: {{ . | quote }}
{{- end }}
{{- range $name, $value := .Values.environment }}
  - name: {{ $name }}
    value: {{ $value | quote }}
{{- end }}
{{- end }}

{{/* For programs that serve. They must name an owner and never become it. */}}
{{- define "memory.serving" -}}
{{ include "memory.environment" . }}
  - name: DATABASE_OWNER_URL
    value: postgresql://set-up-job-only@/nowhere
envFrom:
  - secretRef: {name: {{ required "secret.name: name the Secret with DATABASE_URL and the others." .Values.secret.name }}}
{{- end }}
