#!/usr/bin/env bash
# Makes a small Debian image without a container registry: debootstrap, then docker import. Nothing is done when
# the image is there already.
#
#   base-image.sh [NAME [PACKAGE,PACKAGE...]]      NAME defaults to debian:bookworm-slim
#
# The mirror, its proxies and its keys are those of the machine's own apt configuration. Roots that the machine
# trusts beyond Debian's go into the image too, so that containers reach what the machine reaches.
set -euo pipefail

NAME=${1:-debian:bookworm-slim}
PACKAGES=ca-certificates${2:+,$2}
SUITE=${NAME#*:}; SUITE=${SUITE%%-*}
ROOTS=/etc/ssl/certs/ca-certificates.crt

if docker image inspect "$NAME" >/dev/null 2>&1; then exit 0; fi
command -v debootstrap >/dev/null || { echo "base-image.sh: debootstrap is missing (apt-get install debootstrap)" >&2; exit 1; }

apt_sources() { cat /etc/apt/sources.list /etc/apt/sources.list.d/*.list /etc/apt/sources.list.d/*.sources 2>/dev/null || true; }
mirror() { apt_sources | grep -oE 'https?://[^ ]*/debian/?([ ]|$)' | head -n 1 | tr -d ' '; }
MIRROR=$(mirror); MIRROR=${MIRROR:-http://deb.debian.org/debian}

WORK=$(mktemp -d)
trap 'rm -rf "$WORK"' EXIT
# apt's own proxy settings, for debootstrap's wget
eval "$(apt-config shell http_proxy Acquire::http::Proxy https_proxy Acquire::https::Proxy)"
[ -z "${http_proxy:-}" ] || export http_proxy
[ -z "${https_proxy:-}" ] || export https_proxy

debootstrap --variant=minbase --include="$PACKAGES" "$SUITE" "$WORK/root" "$MIRROR" >"$WORK/log" 2>&1 ||
  { tail -n 20 "$WORK/log" >&2; exit 1; }
rm -rf "$WORK"/root/var/cache/apt/archives/*.deb "$WORK"/root/var/lib/apt/lists/*
[ ! -f "$ROOTS" ] || cp "$ROOTS" "$WORK/root$ROOTS"
for proxy in "http:${http_proxy:-}" "https:${https_proxy:-}"; do
  [ -z "${proxy#*:}" ] || printf 'Acquire::%s::Proxy "%s";\n' "${proxy%%:*}" "${proxy#*:}"
done >"$WORK/root/etc/apt/apt.conf.d/90proxy"
tar -C "$WORK/root" -c . | docker import --change 'CMD ["bash"]' - "$NAME" >/dev/null
