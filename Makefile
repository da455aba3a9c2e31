# headstart: install, check and try it. `make` alone lists the targets.
.DEFAULT_GOAL := help
SHELL := /bin/bash
export PATH := $(CURDIR)/node_modules/.bin:$(PATH)

BOOTS := src/boot/fixtures/boots

.PHONY: help install test lint format e2e demo bench chromium
help:
	@awk -F ':.*## ' '/^[a-z0-9]+:.*## / { printf "  make %-8s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

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

e2e: install chromium ## the report, used in a real headless Chromium (installed when missing)
	@echo "== end to end"
	@node .ci/count.ts --config e2e/vitest.config.ts

lint: install ## type-check and lint
	@echo "== types"
	@tsc --noEmit
	@echo "== style"
	@biome check --log-level=warn .

format: install ## format, and fix what can be fixed
	@biome check --write .

demo: install ## analyse the recorded boots and write out/report.html
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
