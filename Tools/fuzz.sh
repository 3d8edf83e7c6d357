#!/usr/bin/env bash
# Fuzzes the parsers of untrusted bytes: the multipart parser, the header and EXIF readers, the barcode shim. Findings
# are stored in Fuzzing/finds; a test (FindsTests) and every later run process all of them.
# usage: Tools/fuzz.sh [SECONDS for each, default 1800] [multipart] [picture_header] [barcodes]
set -euo pipefail
cd "$(dirname "$0")/.."

seconds=${1:-1800}
targets=("${@:2}")
[[ ${#targets[@]} -gt 0 ]] || targets=(multipart picture_header barcodes)
work=.build/fuzz
mkdir -p "$work" Fuzzing/finds
swift_bin=$(dirname "$(command -v swiftc)")
clang="$swift_bin/clang++"

say() { printf '==> %s\n' "$*" >&2; }

# The linker prints hundreds of warnings about the sanitizer's symbols.
compile() {
  swiftc -O -parse-as-library -sanitize=fuzzer,address -package-name serialscan -module-name "$@" 2>&1 | { grep -v "ld.gold: warning" || true; } >&2
}

build_multipart() {
  compile Multipart Sources/MultipartParsing/*.swift Fuzzing/multipart.swift -o "$work/multipart"
}

build_picture_header() {
  # The module for opening files, which the header module imports.
  swiftc -O -parse-as-library -package-name serialscan -module-name RegularFile -emit-module \
    -emit-module-path "$work/RegularFile.swiftmodule" -c Sources/Support/*.swift -o "$work/regular_file.o" >&2
  compile Header Sources/PictureHeader/*.swift Fuzzing/picture_header.swift -I "$work" "$work/regular_file.o" -o "$work/picture_header"
}

build_barcodes() {
  # shellcheck disable=SC2046 # several flags
  "$clang" -std=c++17 -O1 -g -fsanitize=fuzzer,address -I Sources/CLibraries/CZXingShim/include \
    Sources/CLibraries/CZXingShim/*.cpp Fuzzing/barcodes.cpp $(pkg-config --cflags --libs zxing) -o "$work/barcodes"
}

seed_multipart() {
  printf -- '--b\r\nContent-Disposition: form-data; name="image"; filename="a.jpg"\r\nContent-Type: image/jpeg\r\n\r\nxyz\r\n--b--\r\n' >"$1/form"
  printf -- '--b\r\nContent-Disposition: form-data; name="preset"\r\n\r\netched\r\n--b\r\nContent-Disposition: form-data; name=image\r\n\r\n\r\n--b --\r\n' >"$1/two"
  printf 'multipart/form-data; boundary="b"' >"$1/type"
}

seed_picture_header() {
  # The beginning of each is enough and keeps the fuzzer fast.
  local file
  for file in testdata/pictures/*; do head -c 3000 "$file" >"$1/$(basename "$file")"; done
  # Without the bombs: only their beginnings would be used, and packing them takes a minute.
  python3 Tools/hostile/make.py "$work/hostile" webp exif heic >/dev/null
  for file in "$work"/hostile/exif_* "$work"/hostile/webp_* "$work"/hostile/heic_*; do
    head -c 3000 "$file" >"$1/$(basename "$file")"
  done
}

seed_barcodes() {
  printf '\x40\x00\x00\x01%s' "$(head -c 400 /dev/zero | tr '\0' '\252')" >"$1/bars"
  printf '\x15\x00\x00\x00%s' "$(head -c 441 /dev/zero | tr '\0' '\377')" >"$1/white"
}

status=0
for target in "${targets[@]}"; do
  say "building the fuzzer of $target"
  "build_$target"
  corpus="$work/corpus-$target"
  if [[ ! -d "$corpus" ]]; then
    mkdir -p "$corpus"
    "seed_$target" "$corpus"
  fi
  find Fuzzing/finds -name "$target-*" -exec cp {} "$corpus" \;
  say "fuzzing $target for $seconds s"
  # Ignore leaks of Swift's runtime at exit. A finding ends the run of its target. A slow input of 8 KB is a finding
  # too: our parsers take far less than a millisecond, the barcode libraries some tenths of a second.
  slow=2
  [[ "$target" != barcodes ]] || slow=20
  ASAN_OPTIONS=detect_leaks=0 "$work/$target" -max_total_time="$seconds" -max_len=8192 -timeout="$slow" -report_slow_units=1 -rss_limit_mb=2048 \
    -print_final_stats=1 -artifact_prefix="Fuzzing/finds/$target-" "$corpus" >"$work/$target.log" 2>&1 || status=1
  grep -E "^(stat::number_of_executed_units|stat::peak_rss_mb)|ERROR|SUMMARY|Test unit written|Fatal error" "$work/$target.log" || true
done
exit $status
