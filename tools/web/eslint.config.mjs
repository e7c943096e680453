/* SPDX-License-Identifier: MIT */
// What ESLint refuses in modules of the page and of its tests; how they look is no concern of it.
import js from '@eslint/js';
import globals from 'globals';

const rules = {
	...js.configs.recommended.rules,
	'no-unused-vars': ['error', {argsIgnorePattern: '^_', varsIgnorePattern: '^_', ignoreRestSiblings: true}],
	'no-unused-private-class-members': 'off', // takes `#timer ||= ...` for no use
	'eqeqeq': 'error',
	'prefer-const': ['error', {destructuring: 'all'}],
	'no-var': 'error',
};
const at = (files, names) => ({files, rules, languageOptions: {globals: names},
	linterOptions: {reportUnusedDisableDirectives: 'error'}});

export default [
	at(['web/**/*.js', 'tests/web/columns_page.js'], globals.browser),
	at(['tests/web/*.mjs', 'tests/web/fake.js', 'tests/web/open.js'], globals.node),
];
