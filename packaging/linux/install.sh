#!/bin/sh
# Installs this folder for the person who runs it, without root; `install.sh --remove` takes it away
# again and leaves all data. The program also runs from here as it is: ./batchwright/batchwright
set -eu

here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd -P)
data=${XDG_DATA_HOME:-$HOME/.local/share}
programs=$HOME/.local/bin
home=$HOME/.local/opt/batchwright
fresh=$home.new
opener=zz-batchwright-sheets.desktop

say() { # ENGLISH CHINESE
    case ${LC_ALL:-${LC_MESSAGES:-${LANG:-}}} in
        zh_CN* | zh_SG* | zh) echo "$2" ;;
        *) echo "$1" ;;
    esac
}

refresh() {
    # Not every system has these; the entry shows up there at the next login.
    update-desktop-database -q "$data/applications" 2>/dev/null || true
    update-mime-database "$data/mime" 2>/dev/null || true
    gtk-update-icon-cache -q -t "$data/icons/hicolor" 2>/dev/null || true
}

remove() {
    rm -rf "$home"
    rm -f "$programs/batchwright" "$data/applications/batchwright.desktop"
    rm -f "$data/applications/$opener"
    rm -f "$data/metainfo/@APP_ID@.metainfo.xml"
    rm -f "$data/mime/packages/batchwright.xml" "$data/man/man1/batchwright.1"
    find "$data/icons/hicolor" -name 'batchwright.png' -delete 2>/dev/null || true
    rm -f "$data/icons/hicolor/scalable/apps/batchwright.svg"
}

# Libraries that a desktop has and a system without one lacks; its packages are named differently
# everywhere.
missing() {
    find "$home" -name '*.so*' -type f -exec env LD_LIBRARY_PATH="$home/_internal" ldd {} + \
        2>/dev/null | sed -n 's/^[[:space:]]*\([^[:space:]]*\) => not found.*/\1/p' | sort -u
}

# What opens each kind of sheet today, "KIND ENTRY" a line.
openers() {
    kinds=$(sed -n 's/^MimeType=//p' "$here/share/applications/$opener" | tr ';' ' ')
    for kind in $kinds; do
        echo "$kind $(xdg-mime query default "$kind" 2>/dev/null || true)"
    done
}

# It goes on doing so: desktops take what one person has installed before what all have.
keep_openers() {
    echo "$kept" | while read -r kind entry; do
        case $entry in
            "" | "$opener") continue ;;
        esac
        now=$(xdg-mime query default "$kind" 2>/dev/null || true)
        [ "$now" = "$entry" ] || xdg-mime default "$entry" "$kind" 2>/dev/null || true
    done
}

# The words of a desktop entry's Exec: in quotes, and each sign that means something there behind
# a backslash, which is itself doubled.
quoted() {
    printf '%s' "$1" | sed 's/[\\"`$]/\\&/g; s/\\/\\\\/g; s/%/%%/g'
}

case "${1:-}" in
    --remove)
        rm -rf "$fresh"
        remove
        refresh
        say "Batchwright is removed. Its data is still in $data/Batchwright" \
            "Batchwright 已移除。它的数据仍在 $data/Batchwright"
        exit 0
        ;;
    "") ;;
    *)
        say "usage: install.sh [--remove]" "用法：install.sh [--remove]" >&2
        exit 2
        ;;
esac

placed=$(CDPATH='' cd -- "$home" 2>/dev/null && pwd -P) || placed=$home
case "$here/" in
    "$placed"/*)
        # It would be thrown away with what it replaces.
        say "Unpack Batchwright somewhere else than in $home, and start install.sh there." \
            "请把 Batchwright 解压到 $home 以外的地方，再从那里运行 install.sh。" >&2
        exit 1
        ;;
esac
# What is installed stays until the new one lies beside it, whole, and starts.
rm -rf "$fresh"
trap 'rm -rf "$fresh"' EXIT
mkdir -p "$fresh"
cp -a "$here/batchwright/." "$fresh/"
if ! why=$("$fresh/batchwright" --version 2>&1); then
    say "Batchwright does not start on this system, and nothing was changed:" \
        "Batchwright 无法在此系统上启动，未作任何更改：" >&2
    printf '%s\n' "$why" >&2
    exit 1
fi
kept=$(openers)
remove
mv "$fresh" "$home"
mkdir -p "$programs" "$data"
cp -a "$here/share/." "$data/"
# A desktop entry finds nothing by a PATH that lacks ~/.local/bin.
for entry in batchwright.desktop "$opener"; do
    while IFS= read -r line; do
        case $line in
            Exec=batchwright*)
                printf 'Exec="%s"%s\n' "$(quoted "$home/batchwright")" "${line#Exec=batchwright}"
                ;;
            *) printf '%s\n' "$line" ;;
        esac
    done <"$here/share/applications/$entry" >"$data/applications/$entry"
done
ln -sf "$home/batchwright" "$programs/batchwright"
refresh
keep_openers
say "Batchwright is installed. It is in the menu, and here: $programs/batchwright" \
    "Batchwright 已安装。可从菜单打开，也可运行：$programs/batchwright"
lacks=$(missing)
if [ -n "$lacks" ]; then
    say "Its window needs libraries that this system does not have yet; install them too:" \
        "它的窗口还需要此系统没有的库，请一并安装：" >&2
    printf '%s\n' "$lacks" >&2
fi
