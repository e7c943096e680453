#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# bundle.sh - what tools/bundle makes of modules: one script that does what they do, and no script of those
# that it cannot join without a change of meaning.
# shellcheck source=tests/support/cli.sh
. "$(dirname "$0")/../support/cli.sh"
: "${WARPLENS_SOURCE:?the source tree}"
bundle=$WARPLENS_SOURCE/tools/bundle
cd "$work"
mkdir in

# --- order of dependency, each module once -------------------------------------------------------
cat >in/main.js <<'JS'
// The page.
import {twice} from './twice.js';
import {
	one,
	Two,
} from './one.js';

export async function run() {
	return [twice(one), new Two().value];
}
globalThis.answer = run;
JS
cat >in/twice.js <<'JS'
import {one} from './one.js';

const {length} = 'ab';
export function twice(x) {
	return x * length + one - 1;
}
JS
cat >in/one.js <<'JS'
globalThis.loads = (globalThis.loads ?? 0) + 1;
export const one = 1;
export class Two {
	value = 2;
}
JS
expect 0 "$bundle" out.js in/main.js
silent
quiet
! grep -qE '^(import|export)' out.js || fail "an import or export is left"
! grep -q 'The page' out.js || fail "a comment is left"
cp out.js first.js
expect 0 "$bundle" out.js in/main.js
same out.js first.js "the same modules again"
if command -v node >/dev/null; then
	echo "require('./out.js'); answer().then((a) => console.log(JSON.stringify(a), loads, typeof one));" >try.cjs
	expect 0 node try.cjs
	prints '[2,2] 1 undefined'
fi

# --- no spaces that say nothing, and no other change -----------------------------------------------
cat >in/spaces.js <<'JS'
const parts = [1, 2].map((x) => x / 2 / 4); // half
const text = `a  b ${parts.map((x) => `${x}  }` + '// no comment').join(' , ')} c /* d */`;
let n = 3;
const m = n++ + +n - -n / 2;
const kind = typeof /[/ ] +"/.exec('/ +"');
const named = /* why */ text.replace(/ \/\/ /g, ' : ');
const seen = [];
/** @type {number[]} */ (seen).push(n);
/* A comment of its own. */
seen.push(2 * n);

globalThis.answer = JSON.stringify([parts, text, m, kind, named, seen, 'a' in {a: 1}]);
JS
expect 0 "$bundle" out.js in/spaces.js
grep -qF 'const parts=[1,2].map((x)=>x/2/4);' out.js || fail "spaces are left: $(cat out.js)"
if command -v node >/dev/null; then
	for script in in/spaces.js out.js; do
		echo "require('./$script'); console.log(answer);" >try.cjs
		node try.cjs >"said.${script##*/}" || fail "$script does not run"
	done
	same said.out.js said.spaces.js "what the script does"
fi

# --- what it refuses -----------------------------------------------------------------------------
refuses() { # TEXT WORDS - a module with this text
	rm -f bad.out.js
	printf '%s\n' "$1" >in/bad.js
	expect 1 "$bundle" bad.out.js in/bad.js
	says "$2"
	[[ ! -e bad.out.js ]] || fail "wrote a script of: $1"
}
refuses 'export default 3;' 'neither an import nor an export by name'
refuses "import * as all from './one.js';" 'neither an import nor an export by name'
refuses "import all from './one.js';" 'neither an import nor an export by name'
refuses "import './one.js';" 'neither an import nor an export by name'
refuses "export {one} from './one.js';" 'neither an import nor an export by name'
refuses "import {one as first} from './one.js';" 'under another name'
refuses "import {three} from './one.js';" 'does not export three'
refuses "import {one} from './none.js';" 'which is not there'
refuses "import {bad} from './bad.js';
export const bad = 1;" 'import each other'
refuses "import {one} from './one.js';
function Two() {}" 'one.js and bad.js both declare Two'
refuses "import {twice} from './twice.js';
let length = 1;" 'twice.js and bad.js both declare length'
refuses "const end = '</script>';" 'may not have in a script'
mkdir in/base in/data
echo 'export const far = 1;' >in/data/far.js
printf '%s\n' "import {far} from '../data/far.js';" 'export const near = far;' >in/base/near.js
refuses "import {near} from './base/near.js';" 'modules of base/ may not import ../data/far.js'
finish
