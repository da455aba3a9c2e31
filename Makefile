# headstart: install, check and try it. `make` alone lists the targets.
.DEFAULT_GOAL := help
SHELL := /bin/bash
export PATH := $(CURDIR)/node_modules/.bin:$(PATH)

BOOTS := src/boot/fixtures/boots

# Each target may install something.
.NOTPARALLEL:
.PHONY: help demo-boot demo demo-kubernetes bench install runtime test quick watch lint format e2e campaign commits docs dist image image-lock chart release node-binary

help:
	@awk -F ':.*## ' '/^##@ / { print substr($$0, 5) ":" } \
	  /^[a-z0-9-]+:.*## / { printf "  make %-15s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

##@ Try it
demo-boot: runtime ## Analyse recorded boots, write out/report.html
	@mkdir -p out
	./headstart boot timeline $(BOOTS)/first-boot.tar.gz
	./headstart boot blame $(BOOTS)/first-boot.tar.gz --at-least 1s
	./headstart boot chain $(BOOTS)/first-boot.tar.gz
	./headstart boot what-if --scan 5 $(BOOTS)/first-boot.tar.gz
	./headstart boot compare $(BOOTS)/first-boot.tar.gz $(BOOTS)/clone-boot.tar.gz --limit 10
	./headstart boot report $(BOOTS)/first-boot.tar.gz $(BOOTS)/clone-boot.tar.gz -o out/report.html

demo: runtime ## Run the whole loop on VMs of this machine (QUICK=1: fewer boots)
	@node demo/ensure-tools.ts vms
	@node demo/run.ts

demo-kubernetes: install ## Compare three kinds of Kubernetes nodes on VMs (QUICK=1; needs Go, once)
	@node demo/ensure-tools.ts vms images
	@node demo/kubernetes/run.ts

bench: install ## Measure the promised figures (PARTS=a,b: these parts; PARTS=help: list)
	@node bench/run.ts '$(PARTS)'

##@ Develop
# `install` has the development tools, `runtime` only what ./headstart needs and installs by itself.
INSTALL = set -eu; home='$(CURDIR)'; . tools/install-dependencies.sh; ensure_installed
install: ## Install the dependencies and the development tools
	@$(INSTALL) full

runtime:
	@$(INSTALL) runtime

test: lint quick ## Install, type-check, lint and run all unit and integration tests

quick: install ## Run the tests alone, without type-check and lint
	@echo "== tests"
	@node .ci/count.ts

watch: install ## Run the tests of each file that changes
	@vitest

lint: install ## Type-check and lint
	@echo "== types and style"
	@biome check --log-level=warn . & style=$$!; tsc --noEmit; types=$$?; wait $$style && exit $$types

commits: install ## Check the messages and sizes of new commits
	@node .ci/check-commits.ts

format: install ## Format, and fix what biome can fix
	@biome check --write .

e2e: install ## Test with real Chromium, Kubernetes API server, VMs, images (needs Go, once)
	@node demo/ensure-tools.ts vms images chromium busybox python
	@echo "== control plane"
	@node e2e/programs/ensure-kube.ts >/dev/null
	@echo "== end to end"
	@node .ci/count.ts --config e2e/vitest.config.ts
	@echo "== the clone check with busybox's tools"
	@node .ci/count.ts src/clone-check

campaign: install ## Test every crash and fault, for hours (PART=a,b SEEDS=1-9; PART=help: list)
	@node .ci/campaign.ts

docs: install ## Write docs/verbs.md and docs/chart-values.md
	@node src/cli/verbs-doc.ts
	@node src/container/chart/values-page.ts

##@ Release
dist: install ## Build all that users install (packages, image, chart), into out/dist
	@node --disable-warning=ExperimentalWarning src/packages/build.ts

image: install ## Build the chart's container image: out/image (OCI layout), out/image.tar
	@node src/container/build.ts

image-lock: install ## Pin the image's Debian packages to what apt offers now
	@node src/container/lock-packages.ts

chart: image ## Package the chart with its image's digest, as a repository: out/chart
	@node src/container/chart/build.ts

release: install ## Check the tree, run the tests and tag the release (DRY_RUN=1: only show it)
	@node .ci/release/release.ts $(if $(DRY_RUN),--dry-run)

node-binary: install ## Build `headstart node` as one executable, out/headstart-node
	@node src/node/build/build.ts
