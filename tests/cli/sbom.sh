#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# sbom.sh - tools/make-sbom: the list of a release names its files and every library that the build asks for.
# shellcheck source=tests/support/cli.sh
. "$(dirname "$0")/../support/cli.sh"
root=$(cd "$(dirname "$0")/../.." && pwd)
cd "$work"
echo one >a.deb
echo two >b
expect 0 env SOURCE_DATE_EPOCH=1700000000 "$root/tools/make-sbom" 1.2.3 MIT first.json a.deb b
expect 0 env SOURCE_DATE_EPOCH=1700000000 "$root/tools/make-sbom" 1.2.3 MIT second.json b a.deb
same first.json second.json 'the list of the same files'
python3 - "$root" <<'END' || fail 'the list is wrong'
import hashlib, json, re, subprocess, sys
d = json.load(open("first.json"))
assert (d["spdxVersion"], d["dataLicense"], d["SPDXID"]) == ("SPDX-2.3", "CC0-1.0", "SPDXRef-DOCUMENT")
assert d["creationInfo"]["created"] == "2023-11-14T22:13:20Z"
files = {f["fileName"]: {c["algorithm"]: c["checksumValue"] for c in f["checksums"]} for f in d["files"]}
assert files["./a.deb"]["SHA256"] == hashlib.sha256(b"one\n").hexdigest() and set(files) == {"./a.deb", "./b"}
# The code of SPDX 2.3, 7.9: the SHA-1 of the sorted SHA-1 values of the files.
code = hashlib.sha1("".join(sorted(f["SHA1"] for f in files.values())).encode()).hexdigest()
assert d["packages"][0]["packageVerificationCode"]["packageVerificationCodeValue"] == code
ids = {p["SPDXID"] for p in d["packages"]}
said = {r["relatedSpdxElement"] for r in d["relationships"]}
assert ids == said and len(ids) == len(d["packages"])
for name in re.findall(r"IMPORTED_TARGET ([a-z0-9-]+)", open(sys.argv[1] + "/CMakeLists.txt").read()):
    found = subprocess.run(["pkg-config", "--modversion", name], capture_output=True, text=True)
    if found.returncode == 0:
        assert [p["versionInfo"] for p in d["packages"] if p["SPDXID"] == "SPDXRef-" + name] == [found.stdout.strip()], name
END
finish
