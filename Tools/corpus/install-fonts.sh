#!/bin/sh
# Installs the Debian fonts that both families of scenes draw with. Needs root.
# The families share no face: the reader is developed on one and scored on the other.
set -eu
export DEBIAN_FRONTEND=noninteractive
apt-get update -q

# workshop
apt-get install -y -q --no-install-recommends \
    fonts-roboto fonts-open-sans fonts-lato fonts-liberation fonts-noto-core fonts-noto-cjk \
    fonts-cantarell fonts-inter fonts-dejavu fonts-urw-base35

# field
apt-get install -y -q --no-install-recommends \
    fonts-freefont-ttf fonts-crosextra-carlito fonts-croscore fonts-texgyre fonts-hack fonts-jetbrains-mono fonts-firacode
