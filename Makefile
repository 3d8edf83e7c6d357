# SerialScan: `make` lists the targets.

# One configuration for everything, so that tests run the code that is deployed.
SWIFT_FLAGS := -c release
# One test after another: many start servers and readers, and some depend on what two cores do in time.
TEST_FLAGS := $(SWIFT_FLAGS) --disable-testable-imports --no-parallel
PROGRAM := .build/release/serialscan
CLIENT := Clients/Swift
SWIFT_SOURCES := Package.swift Sources Tests $(CLIENT)/Package.swift $(CLIENT)/Sources $(CLIENT)/Tests \
  $(wildcard $(CLIENT)/Examples/*/*.swift $(CLIENT)/Examples/*/Sources $(CLIENT)/Examples/*/Tests)

.DEFAULT_GOAL := help
.PHONY: help serve build test page proxies manual deb deb-test deb-reproduce image image-test accuracy calibration judged model torture torture-watch torture-webhooks hostile damaged overload fuzz sanitize lint format clean client docs interface

help: ## list the targets
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | awk -F':.*## ' '{printf "  make %-13s %s\n", $$1, $$2}'

serve: build ## install, build and serve (PORT=8000 DATA=./data CONFIG=file)
	@exec $(PROGRAM) serve $(if $(PORT),--port $(PORT)) $(if $(DATA),--data $(DATA)) $(if $(CONFIG),--config $(CONFIG))

build: ## install what is needed and build the optimised program
	@Tools/require-swift.sh
	@Tools/install-packages.sh
	@echo "==> building serialscan (the first build takes some minutes)"
	@swift build $(SWIFT_FLAGS) --product serialscan

test: ## install what is needed, build, and run all tests (FILTER=AppleSerialTests: build and run only those)
	@Tools/require-swift.sh
ifdef FILTER
	@Tools/install-packages.sh $(if $(findstring Postgres,$(FILTER)),--with-tests)
	@SERIALSCAN_TESTS='$(FILTER)' $(if $(findstring Postgres,$(FILTER)),Tools/postgres.sh) swift test $(TEST_FLAGS) --filter '$(FILTER)'
else
	@Tools/install-packages.sh
	@echo "==> building serialscan and its tests (the first build takes some minutes)"
	@Tools/install-packages.sh --with-tests & swift build $(SWIFT_FLAGS) --build-tests; built=$$?; wait $$! && exit $$built
	@Tools/run-tests.sh $(TEST_FLAGS)
	@Tools/page/run.sh .build/release/serialscan
	@Tools/interface/run.sh .build/release/serialscan
	@Tools/deploy/run.sh .build/release/serialscan
	@packaging/check.sh units
	@$(CLIENT)/Tools/test.sh .build/release/serialscan
endif

client: build ## test the Swift client with the program, as `make test` does at its end
	@$(CLIENT)/Tools/test.sh $(PROGRAM)

docs: ## write the Swift client's documentation to FOLDER (.build/docs); a warning is an error
	@Tools/require-swift.sh
	@$(CLIENT)/Tools/docs.sh $(or $(FOLDER),.build/docs)

page: build ## drive the page in a headless Chromium, as `make test` does at its end
	@Tools/install-packages.sh --with-tests
	@Tools/page/run.sh .build/release/serialscan

interface: build ## generate a client from /openapi.json and scan a photo with it, as `make test` does at its end
	@Tools/install-packages.sh --with-tests
	@Tools/interface/run.sh .build/release/serialscan

proxies: build ## test the files in deploy/ with real proxies and Prometheus, as `make test` does at its end
	@Tools/install-packages.sh --with-tests
	@Tools/deploy/run.sh .build/release/serialscan

manual: build ## write man pages and completions for bash, zsh and fish (PREFIX=.build/manual)
	@Tools/manual.sh $(or $(PREFIX),.build/manual)

deb: ## build the Debian packages in .build/deb: the program for machines without Swift, and its debug symbols
	@Tools/require-swift.sh
	@Tools/install-packages.sh --with-packaging
	@echo "==> building serialscan with Swift's libraries inside (the first build takes some minutes)"
	@packaging/check.sh $$(packaging/build.sh "$$(packaging/program.sh)" .build/deb)

deb-test: deb ## test the package on plain Debian 12 (as root; some minutes; OLD=older.deb to upgrade from)
ifndef OLD
	@packaging/build.sh .build/static/release/serialscan .build/deb-before 0.0.1 >/dev/null
endif
	@packaging/test_install.sh $(or $(OLD),.build/deb-before/serialscan_*.deb) .build/deb/serialscan_*.deb
	@packaging/test_workers.sh .build/deb/serialscan_*.deb

deb-reproduce: deb ## rebuild this commit's packages from scratch, and compare every byte
	@packaging/reproduce.sh .build/deb

image: deb ## build a container image of the package in .build/image, an OCI archive (as root)
	@packaging/image.sh .build/deb/serialscan_*.deb .build/image/serialscan.tar

image-test: image ## start the image with a read-only root and a volume, read a photo, restart it (as root)
	@packaging/test_image.sh .build/image/serialscan.tar

model: ## train the line model from Debian's eng and the network for characters, measure them and replace the shipped ones
	@Tools/training/install-packages.sh
	@Tools/training/train.sh install

accuracy: build ## generate both families of pictures, score the reader and check its gates (ten minutes)
	@Tools/accuracy/run.sh

calibration: ## fit the confidence's weights to Tools/accuracy/judged.csv and write docs/calibration.md (TAKE=1 takes the weights)
	@[ -x .venv/bin/python ] || { python3 -m venv .venv && .venv/bin/pip install --quiet -r Tools/requirements.txt; }
	@.venv/bin/python Tools/accuracy/calibrate.py report Tools/accuracy/judged.csv --report docs/calibration.md \
	  --weights Sources/SerialReading/Judgement/CalibrationWeights.swift $(if $(TAKE),--take)

judged: build ## draw and read its pictures, write Tools/accuracy/judged.csv, then make calibration (half an hour)
	@Tools/accuracy/judged.sh
	@$(MAKE) --no-print-directory calibration

tracking: build ## generate videos, score tracking and check its gates (five minutes)
	@Tools/tracking/run.sh

torture: build ## kill server and readers 300 times and look for lost, doubled or unsaved jobs (half an hour; ROUNDS=300 STORE=postgresql)
	@Tools/install-packages.sh --with-tests
ifeq ($(STORE),postgresql)
	@python3 Tools/torture/machines.py --program $(PROGRAM) --rounds $(or $(ROUNDS),300)
else
	@swift build $(SWIFT_FLAGS) --product FaultyServer
	@python3 Tools/torture/torture.py --program $(PROGRAM) --faulty $(dir $(PROGRAM))FaultyServer --rounds $(or $(ROUNDS),300)
endif

torture-watch: build ## kill `serialscan watch` 300 times while photos arrive, and look for lost and doubled ones (ROUNDS=300)
	@swift build $(SWIFT_FLAGS) --product FaultyServer
	@python3 Tools/torture/watch.py --program $(PROGRAM) --faulty $(dir $(PROGRAM))FaultyServer --rounds $(or $(ROUNDS),300)

torture-webhooks: build ## kill servers 300 times while results go to an unreliable receiver, and look for lost ones (ROUNDS=300)
	@swift build $(SWIFT_FLAGS) --product FaultyServer
	@python3 Tools/torture/webhooks.py --program $(PROGRAM) --faulty $(dir $(PROGRAM))FaultyServer --rounds $(or $(ROUNDS),300)

hostile: build ## send hostile files and requests to a server and check that it survives (SECONDS=3600 of requests)
	@Tools/install-packages.sh --with-tests
	@python3 Tools/hostile/send.py --program $(PROGRAM)
	@python3 Tools/hostile/ask.py --program $(PROGRAM) --seconds $(or $(SECONDS),3600) --seed $(or $(SEED),1)

damaged: build ## send 5,000 damaged pictures of each format to a server (hours; COUNT=5000 SEED=1)
	@Tools/install-packages.sh --with-tests
	@folder=$$(mktemp -d) && trap 'rm -rf "$$folder"' EXIT && \
	  Tools/hostile/damage.py "$$folder" --count $(or $(COUNT),5000) --seed $(or $(SEED),1) && \
	  python3 Tools/hostile/send.py --program $(PROGRAM) --folder "$$folder" --labels testdata/pictures/labels.csv --quiet

overload: build ## load a server with slow clients and more photos than fit its queue
	@Tools/install-packages.sh --with-tests
	@python3 Tools/torture/overload.py --program $(PROGRAM)

fuzz: ## fuzz the parsers of untrusted bytes, half an hour each (SECONDS=1800 TARGETS="multipart picture_header barcodes")
	@Tools/require-swift.sh
	@Tools/install-packages.sh
	@Tools/fuzz.sh $(or $(SECONDS),1800) $(TARGETS)

sanitize: ## run the tests with the thread sanitizer and with the address sanitizer (SANITIZER=thread for one)
	@Tools/require-swift.sh
	@Tools/install-packages.sh --with-tests
	@Tools/sanitize.sh $(or $(SANITIZER),thread address)

lint: ## check formatting, code that could crash the server, dead code, and links and wording of the documents
	@swift format lint --strict --recursive --parallel $(SWIFT_SOURCES)
	@Tools/lint/format.sh --check
	@python3 Tools/lint/traps.py
	@python3 Tools/lint/dead_code.py
	@python3 Tools/lint/texts.py

format: ## format Swift, JavaScript and Python
	@swift format --in-place --recursive --parallel $(SWIFT_SOURCES)
	@Tools/lint/format.sh

clean: ## remove build products
	@rm -rf .build
