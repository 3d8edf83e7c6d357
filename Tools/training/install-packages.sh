#!/bin/bash
# Installs the requirements of training: Tesseract's training tools (part of tesseract-ocr), the typefaces, and Python
# packages in .venv.
set -euo pipefail
top=$(cd "$(dirname "$0")/../.." && pwd)
packages=(tesseract-ocr tesseract-ocr-eng python3-venv fonts-inter fonts-roboto-unhinted fonts-open-sans fonts-noto-core fonts-liberation
  fonts-dejavu-core fonts-dejavu-extra fonts-lato fonts-cantarell fonts-urw-base35
  fonts-noto-cjk fonts-wqy-microhei fonts-unfonts-core fonts-vlgothic
  fonts-cabin fonts-jura fonts-national-park fonts-league-spartan fonts-gemunu-libre fonts-linuxlibertine fonts-dosis fonts-allerta
  fonts-opendin fonts-osifont fonts-routed-gothic fonts-tuffy fonts-averia-sans-gwf fonts-adf-ikarius fonts-tiresias fonts-arundina
  fonts-roadgeek fonts-go fonts-lmodern fonts-yanone-kaffeesatz fonts-firacode fonts-hack fonts-anonymous-pro fonts-agave fonts-monoid
  fonts-noto-mono fonts-motoya-l-cedar fonts-ocr-a fonts-glasstty fonts-dotgothic16 fonts-compagnon)
missing=()
for package in "${packages[@]}"; do
  dpkg-query -W -f '${Status}' "$package" 2> /dev/null | grep -q 'ok installed' || missing+=("$package")
done
if [ ${#missing[@]} -gt 0 ]; then
  root=(); [ "$(id -u)" = 0 ] || root=(sudo)
  echo "==> installing ${missing[*]}"
  "${root[@]}" apt-get update -qq
  "${root[@]}" apt-get install -y -qq --no-install-recommends "${missing[@]}" > /dev/null
fi
[ -x "$top/.venv/bin/python" ] || python3 -m venv "$top/.venv"
"$top/.venv/bin/pip" install -q --disable-pip-version-check -r "$top/Tools/training/requirements.txt"
