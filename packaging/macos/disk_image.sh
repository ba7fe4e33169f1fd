#!/usr/bin/env bash
# Signs Batchwright.app, packs it into a disk image and has Apple notarise that:
#     disk_image.sh DIST
# Without an identity (IDENTITY empty) the program is signed for nobody ("ad hoc") and not
# notarised: it starts only after a person has allowed it in the system's settings.
set -euo pipefail

dist=$1
here=$(cd "$(dirname "$0")" && pwd)
app=$dist/Batchwright.app
version=$(plutil -extract CFBundleShortVersionString raw "$app/Contents/Info.plist")
image=$dist/Batchwright-$version-macos-$(uname -m).dmg

if [ -n "${CERTIFICATE:-}" ]; then
    ring=$RUNNER_TEMP/signing.keychain-db
    word=$(uuidgen)
    base64 --decode <<<"$CERTIFICATE" >"$RUNNER_TEMP/certificate.p12"
    security create-keychain -p "$word" "$ring"
    security unlock-keychain -p "$word" "$ring"
    security import "$RUNNER_TEMP/certificate.p12" -P "$PASSWORD" -k "$ring" -T /usr/bin/codesign
    security set-key-partition-list -S apple-tool:,apple: -s -k "$word" "$ring" >/dev/null
    security list-keychains -d user -s "$ring" login.keychain-db
    rm "$RUNNER_TEMP/certificate.p12"
fi

sign() {
    codesign --force ${IDENTITY:+--timestamp} --options runtime --sign "${IDENTITY:--}" "$@"
}

# The words of all licences go where the program goes, and a signature covers them too.
cp "$dist/copyright" "$app/Contents/Resources/copyright.txt"

# From the inside out: a signature covers what lies within. The libraries of frameworks have no
# ending in their names; what a file is, its first bytes say.
find "$app/Contents" -type f -print0 | while IFS= read -r -d '' file; do
    case $(file -b "$file") in
        Mach-O*) sign "$file" ;;
    esac
done
sign --entitlements "$here/entitlements.plist" "$app"
codesign --verify --deep --strict "$app"

stage=$(mktemp -d)
cp -R "$app" "$stage/"
ln -s /Applications "$stage/Applications"
hdiutil create -volname Batchwright -srcfolder "$stage" -format ULFO -ov "$image"

if [ -n "${IDENTITY:-}" ]; then
    codesign --timestamp --sign "$IDENTITY" "$image"
    xcrun notarytool submit "$image" --wait \
        --apple-id "$APPLE_ID" --password "$APPLE_PASSWORD" --team-id "$APPLE_TEAM"
    xcrun stapler staple "$image"
fi
