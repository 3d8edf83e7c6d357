#!/bin/sh
# Installs the Debian fonts of both families. Requires root. The families share no typeface: the reader is developed on
# one and scored on the other.
set -eu
export DEBIAN_FRONTEND=noninteractive
apt-get update -q

# workshop
apt-get install -y -q --no-install-recommends \
    fonts-roboto fonts-open-sans fonts-lato fonts-liberation fonts-noto-core fonts-noto-cjk \
    fonts-cantarell fonts-inter fonts-dejavu fonts-urw-base35

# field
apt-get install -y -q --no-install-recommends \
    fonts-adf-gillius fonts-adf-switzera fonts-adf-universalis fonts-adf-verana fonts-b612 fonts-bebas-neue fonts-breip \
    fonts-clear-sans fonts-courier-prime fonts-crosextra-caladea fonts-dkg-handwriting fonts-ebgaramond \
    fonts-fantasque-sans fonts-femkeklaver fonts-humor-sans fonts-inconsolata fonts-ipafont-gothic fonts-jetbrains-mono \
    fonts-karla fonts-league-mono fonts-manrope fonts-mononoki fonts-morisawa-bizud-gothic fonts-mplus fonts-nanum \
    fonts-ocr-b fonts-oxygen fonts-paratype fonts-play fonts-quicksand fonts-rufscript fonts-sil-andika \
    fonts-sil-charis fonts-sjfonts fonts-sora fonts-wqy-zenhei fonts-yusei-magic
