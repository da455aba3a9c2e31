# headstart: install, check and try it. `make` alone lists the targets.
.DEFAULT_GOAL := help
SHELL := /bin/bash
export PATH := $(CURDIR)/node_modules/.bin:$(PATH)

BOOTS := src/boot/fixtures/boots

.PHONY: help install docs test lint format e2e campaign image node-binary demo demo-kubernetes demo-boot bench chromium busybox vm-tools image-tools
help:
	@awk -F ':.*## ' '/^[a-z0-9-]+:.*## / { printf "  make %-15s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

install: node_modules/.package-lock.json

node_modules/.package-lock.json: package-lock.json package.json
	@echo "== installing dependencies"
	@command -v npm >/dev/null || { echo "error: npm is not on PATH"; \
	  echo "next:  install Node.js 20 or newer with npm, then run make again"; exit 1; }
	@npm ci --no-audit --no-fund --loglevel=error
	@touch $@

test: lint ## install, type-check, lint, run every unit and integration test
	@echo "== tests"
	@node .ci/count.ts

e2e: install chromium busybox image-tools ## the report in a real Chromium, the prototype on a real Kubernetes API server (built once, with Go) and on real VMs, images built and booted
	@echo "== control plane"
	@node e2e/ensure-kube.ts >/dev/null
	@echo "== end to end"
	@node .ci/count.ts --config e2e/vitest.config.ts
	@echo "== the clone check with busybox's tools"
	@node .ci/count.ts src/clone-check

campaign: install vm-tools image-tools ## every crash and fault at every call of a run, every line of the clone check, twelve runs on a real pool and five on a real node killed three times each, and twenty power cuts of a node, counted (needs Go, once)
	@HEADSTART_CAMPAIGN=full node .ci/count.ts src/prototype/campaign.test.ts src/prototype/azure-campaign.test.ts src/prototype/uninstall.test.ts src/clone-check src/node/transaction/survives.test.ts src/node/transaction/killed-process.test.ts
	@HEADSTART_CAMPAIGN=full node .ci/count.ts --config e2e/vitest.config.ts e2e/qemu-kill.test.ts e2e/node-vm.test.ts e2e/kube-nodes.test.ts

image: install ## the container image of the chart as an OCI layout in out/image (no container engine needed)
	@node src/container/build.ts

node-binary: install ## `headstart node` as one executable for nodes, in out/headstart-node
	@node src/node/build/build.ts

docs: install ## write docs/verbs.md from the table of verbs
	@node src/cli/verbs-doc.ts

lint: install ## type-check and lint
	@echo "== types"
	@tsc --noEmit
	@echo "== style"
	@biome check --log-level=warn .

format: install ## format, and fix what can be fixed
	@biome check --write .

demo: install vm-tools ## the whole loop on real VMs of this machine: bootstrap, prototype, clones, the difference, the way back (QUICK=1: one boot a side)
	@node demo/run.ts

demo-kubernetes: install vm-tools image-tools ## three kinds of real Kubernetes nodes from VM start to Ready, side by side, then changed in place (QUICK=1: one boot a kind; needs Go, once)
	@node demo/kubernetes/run.ts

demo-boot: install ## analyse the recorded boots and write out/report.html
	@mkdir -p out
	./headstart boot timeline -i $(BOOTS)/first-boot.tar.gz
	./headstart boot blame -i $(BOOTS)/first-boot.tar.gz --at-least 1s
	./headstart boot chain -i $(BOOTS)/first-boot.tar.gz
	./headstart boot what-if --scan 5 -i $(BOOTS)/first-boot.tar.gz
	./headstart boot compare $(BOOTS)/first-boot.tar.gz $(BOOTS)/clone-boot.tar.gz --limit 10
	./headstart boot report $(BOOTS)/first-boot.tar.gz $(BOOTS)/clone-boot.tar.gz -o out/report.html

bench: install ## ratios against the real cloud-init, side by side in one run
	@node bench/run.ts

chromium:
	@if ! command -v "$${CHROMIUM:-chromium}" >/dev/null; then \
	  if [ "$$(id -u)" != 0 ] || ! command -v apt-get >/dev/null; then \
	    echo "error: the e2e tests need Chromium"; \
	    echo "next:  install the package chromium, or set CHROMIUM to the path of one"; exit 1; fi; \
	  echo "== installing chromium"; apt-get update -qq && \
	  DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends chromium >/dev/null; fi

busybox:
	@if ! command -v busybox >/dev/null && [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null; then \
	  echo "== installing busybox"; apt-get update -qq && \
	  DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends busybox >/dev/null; fi

vm-tools: install
	@node demo/ensure-tools.ts

image-tools: install
	@node demo/ensure-tools.ts images
