#!/bin/sh
# Installs this folder for the person who runs it, without root; `install.sh --remove` takes it away
# again and leaves all data. The program also runs from here as it is: ./batchwright/batchwright
set -eu

here=$(cd "$(dirname "$0")" && pwd)
data=${XDG_DATA_HOME:-$HOME/.local/share}
programs=$HOME/.local/bin
home=$HOME/.local/opt/batchwright

refresh() {
    # Not every system has these; the entry shows up there at the next login.
    update-desktop-database -q "$data/applications" 2>/dev/null || true
    update-mime-database "$data/mime" 2>/dev/null || true
    gtk-update-icon-cache -q -t "$data/icons/hicolor" 2>/dev/null || true
}

remove() {
    rm -rf "$home"
    rm -f "$programs/batchwright" "$data/applications/batchwright.desktop"
    rm -f "$data/metainfo/@APP_ID@.metainfo.xml"
    rm -f "$data/mime/packages/batchwright.xml" "$data/man/man1/batchwright.1"
    find "$data/icons/hicolor" -name 'batchwright.png' -delete 2>/dev/null || true
    rm -f "$data/icons/hicolor/scalable/apps/batchwright.svg"
}

case "${1:-}" in
    --remove)
        remove
        refresh
        echo "Batchwright is removed. Its data is still in $data/Batchwright"
        exit 0
        ;;
    "") ;;
    *)
        echo "usage: install.sh [--remove]" >&2
        exit 2
        ;;
esac

case "$here/" in
    "$home"/*)
        # It would be thrown away before it is copied.
        echo "Unpack Batchwright somewhere else than in $home, and start install.sh there." >&2
        exit 1
        ;;
esac
remove
mkdir -p "$home" "$programs" "$data"
cp -a "$here/batchwright/." "$home/"
cp -a "$here/share/." "$data/"
# A desktop entry finds nothing by a PATH that lacks ~/.local/bin.
sed -i "s|^Exec=batchwright|Exec=\"$home/batchwright\"|" "$data/applications/batchwright.desktop"
ln -sf "$home/batchwright" "$programs/batchwright"
refresh
echo "Batchwright is installed. It is in the menu, and here: $programs/batchwright"
