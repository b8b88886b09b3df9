# The whole developer interface. Everything runs in a virtual environment of its own, made on first use.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin

.PHONY: demo test stories long torture attacks bench bench-hooks bench-commands bench-recall peers live mcp-checks pi-types laws malformed check fix servers

demo: $(VENV)/ready ## the main job in a minute: a week of two machines with one memory
	@PYTHONPATH=tests $(BIN)/python tools/demo.py

# Tests start thousands of commands: what these load is compiled once, whatever the environment says.
test: $(VENV)/ready ## all tests but the long ones: ten minutes
	PYTHONDONTWRITEBYTECODE= $(BIN)/python -m pytest -q -n auto --dist loadfile --no-loadscope-reorder

stories: $(VENV)/ready ## all slow tests and stories of which `make test` runs a part: twenty minutes
	PYTHONDONTWRITEBYTECODE= $(BIN)/python -m pytest -q -n auto --dist loadfile --no-loadscope-reorder --stories

long: $(VENV)/ready ## what `make test` leaves out, and a thousand examples of each law: an hour
	PYTHONDONTWRITEBYTECODE= $(BIN)/python -m pytest -q -n auto --dist loadfile --no-loadscope-reorder -m "long or hypothesis" --hypothesis-profile thorough

torture: $(VENV)/ready ## kills, full disks and power cuts at length: about two and a half hours
	PYTHONPATH=tests:tools $(BIN)/python -m torture set --seeds 5
	PYTHONPATH=tests:tools $(BIN)/python -m torture append --seeds 3
	PYTHONPATH=tests:tools $(BIN)/python -m torture edit --seeds 3
	PYTHONPATH=tests:tools $(BIN)/python -m torture alone --seeds 3
	PYTHONPATH=tests:tools $(BIN)/python -m torture commands
	PYTHONPATH=tests:tools $(BIN)/python -m torture hostile
	PYTHONPATH=tests:tools $(BIN)/python -m torture flood
	PYTHONPATH=tests:tools $(BIN)/python -m torture disk
	PYTHONPATH=tests:tools $(BIN)/python -m torture cuts --seeds 3
	PYTHONPATH=tests:tools $(BIN)/python -m torture versions
	PYTHONPATH=tests:tools $(BIN)/python -m torture interleave --cases 20000 --seed 1 --jobs 2

attacks: $(VENV)/ready ## every key of git's that could do harm, in every place, at every command: about two hours
	PYTHONPATH=tests:tools $(BIN)/python -m attacks

bench: bench-hooks bench-commands $(VENV)/ready ## every figure in docs/explanation/cost.md, about an hour
	PYTHONPATH=tests:tools $(BIN)/python -m bench build
	PYTHONPATH=tests:tools $(BIN)/python -m bench load
	PYTHONPATH=tests:tools $(BIN)/python -m bench profile
	PYTHONPATH=tests:tools $(BIN)/python -m bench sync --sizes 1000 10000 100000 --sparse 200000

bench-hooks: $(VENV)/ready ## hooks beside a bare start, git status, ripgrep and qmd (QMD=folder with npm's bun and @tobilu/qmd), 8 minutes
	PYTHONPATH=tests:tools $(BIN)/python -m bench hooks $(if $(QMD),--qmd $(QMD))

bench-commands: $(VENV)/ready ## commands beside a bare start: two minutes
	PYTHONPATH=tests:tools $(BIN)/python -m bench commands

bench-recall: $(VENV)/ready ## the figures of docs/explanation/recall-measured.md, ten minutes (DATA=folders, MODEL=folder; before it: make peers)
	PYTHONPATH=tests:tools $(BIN)/python -m bench recall --npm .peers $(if $(DATA),--data $(DATA)) $(if $(MODEL),--model $(MODEL))

peers: ## what recall is measured beside, from npm into .peers/: 1.2 GB, most of it for models that are not asked
	mkdir -p .peers
	cp tools/bench/peers/package.json .peers/
	npm install --prefix .peers --no-audit --no-fund

live: $(VENV)/ready ## every real agent, offline in sessions of its own: an hour, and at first 1 GB from npm
	for agent in claude codex copilot gemini opencode pi; do \
		PYTHONPATH=tests:tools $(BIN)/python -m live $$agent --results .live/results.jsonl || exit 1; done
	PYTHONPATH=tests:tools $(BIN)/python -m live.relay
	PYTHONPATH=tests:tools $(BIN)/python -m live.table .live/results.jsonl docs/reference/agents.md

mcp-checks: $(VENV)/ready ## `ctxrepo mcp` under the protocol's suite and Inspector, killed 50 ways, under load, weighed; 4 minutes
	npm install --prefix .mcp --no-audit --no-fund node@24 @modelcontextprotocol/conformance@0.2.0-alpha.12
	PATH="$(CURDIR)/.mcp/node_modules/.bin:$$PATH" npm install --prefix .mcp --no-audit --no-fund \
		@modelcontextprotocol/inspector@2.12.0 @modelcontextprotocol/server-memory
	PYTHONPATH=tests:tools $(BIN)/python -m mcp_checks --npm .mcp

pi-types: $(VENV)/ready ## pi's extension of ours against pi's own types, from npm
	PYTHONPATH=tests:tools $(BIN)/python -m live.pi_types

laws: $(VENV)/ready ## 20,000 made-up merges, three times
	for seed in 1 2 3; do PYTHONPATH=tests $(BIN)/python tools/laws.py --cases 20000 --seed $$seed || exit 1; done

malformed: $(VENV)/ready ## 10,000 notes, heads and lists that nobody would write
	PYTHONPATH=tests $(BIN)/python tools/malformed.py --cases 10000

check: $(VENV)/ready ## format, lint, types
	$(BIN)/ruff format --check ctxrepo tests tools
	$(BIN)/ruff check ctxrepo tests tools
	$(BIN)/mypy

fix: $(VENV)/ready ## what can be mended mechanically
	$(BIN)/ruff check --fix ctxrepo tests tools
	$(BIN)/ruff format ctxrepo tests tools

servers: ## what tests start: real remotes, shells, a compiler, a terminal, a browser (Debian); without it they skip, aloud
	@PATH="$$PATH:/usr/sbin:/sbin"; for tool in sshd ssh ssh-keygen nginx fcgiwrap openssl bash zsh fish rg cc mkfs.ext4 mkfs.xfs mkfs.btrfs gpg tmux zstd chromium chromedriver; do \
	  command -v $$tool >/dev/null || missing=yes; done; \
	test -z "$$missing" || { apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -qq -y \
	  --no-install-recommends openssh-server openssh-client nginx-light fcgiwrap openssl bash zsh fish ripgrep zstd \
	  gcc libc6-dev e2fsprogs xfsprogs btrfs-progs gpg gpg-agent tmux chromium chromium-driver; }

$(VENV)/ready: pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "ctxrepo needs Python 3.11 or newer; say which: make PYTHON=python3.12"; exit 1; }
	$(PYTHON) -m venv --clear $(VENV)
	$(BIN)/python -m pip install --quiet --upgrade pip
	$(BIN)/python -m pip install --quiet --editable . --group test --group check
	@touch $@
