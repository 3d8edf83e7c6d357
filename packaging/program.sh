#!/usr/bin/env bash
# Builds the program for packages, statically linked with Swift's libraries, which target machines lack. Uses a separate
# build folder, so that it and `make build` don't replace each other's products.
# usage: packaging/program.sh      prints where the program is
set -euo pipefail
cd "$(dirname "$0")/.."
folder=.build/static
flags=(
  -c release --static-swift-stdlib --scratch-path "$folder"
  # For reproducible builds: no path of this folder, no hashes of objects (only for later incremental builds), and no
  # paths of the compiler's cache in the debug symbols.
  -Xswiftc -file-prefix-map -Xswiftc "$PWD=." -Xcc "-ffile-prefix-map=$PWD=."
  -Xswiftc -Xfrontend -Xswiftc -disable-incremental-llvm-codegen
  -Xswiftc -Xfrontend -Xswiftc -no-clang-module-breadcrumbs
  # Resolves all library functions at the start, after which their addresses are read-only.
  -Xlinker -z -Xlinker now
)
swift build "${flags[@]}" --product serialscan >&2
# swift-argument-parser's generator of man pages, for Tools/manual.sh.
swift build "${flags[@]}" --product generate-manual >&2
printf '%s\n' "$PWD/$folder/release/serialscan"
