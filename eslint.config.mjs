import eslint from '@eslint/js';
import tseslint from 'typescript-eslint';

const sizes = {
  'max-lines': ['error', { max: 300, skipBlankLines: false, skipComments: false }],
  'max-lines-per-function': ['error', { max: 50, skipBlankLines: false, skipComments: false }],
  'max-params': ['error', 3],
  complexity: ['error', 15],
};

const wordsOfTypeScript = {
  '@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true, allowBoolean: true }],
  '@typescript-eslint/no-confusing-void-expression': [
    'error',
    { ignoreArrowShorthand: true, ignoreVoidReturningFunctions: true },
  ],
  '@typescript-eslint/prefer-promise-reject-errors': ['error', { allowThrowingUnknown: true }],
  '@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_', varsIgnorePattern: '^_' }],
  // It takes a field for constant across an await, during which other code has changed it.
  '@typescript-eslint/no-unnecessary-condition': 'off',
  // `void` in the type of an outcome says that a handler may return nothing.
  '@typescript-eslint/no-invalid-void-type': 'off',
  '@typescript-eslint/no-floating-promises': [
    'error',
    {
      allowForKnownSafeCalls: [
        { from: 'package', package: 'node:test', name: ['test', 'suite', 'describe', 'it'] },
      ],
    },
  ],
  '@typescript-eslint/no-explicit-any': 'error',
  '@typescript-eslint/ban-ts-comment': [
    'error',
    { 'ts-expect-error': true, 'ts-ignore': true, 'ts-nocheck': true },
  ],
  '@typescript-eslint/consistent-type-imports': 'error',
  '@typescript-eslint/switch-exhaustiveness-check': ['error', { considerDefaultExhaustiveForUnions: true }],
  // A type parameter used once is how a witness carries its type.
  '@typescript-eslint/no-unnecessary-type-parameters': 'off',
};

const onlyInTests = {
  // A handler under test is async because handlers are.
  '@typescript-eslint/require-await': 'off',
  '@typescript-eslint/no-non-null-assertion': 'off',
  '@typescript-eslint/unbound-method': 'off',
  'no-restricted-globals': ['error', 'setTimeout', 'setInterval'],
  'no-restricted-imports': ['error', 'node:timers/promises', 'timers/promises', 'node:timers', 'timers'],
};

export default tseslint.config(
  { ignores: ['**/dist/**', '**/node_modules/**', '**/*.gen.ts', '.rowlock/**', 'compat/**'] },
  { linterOptions: { noInlineConfig: true, reportUnusedDisableDirectives: 'error' } },
  {
    files: ['packages/*/src/**/*.ts', 'examples/*/src/**/*.ts'],
    extends: [eslint.configs.recommended, ...tseslint.configs.strictTypeChecked],
    languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname } },
    rules: { ...sizes, ...wordsOfTypeScript },
  },
  { files: ['**/*.test.ts'], rules: onlyInTests },
  {
    files: ['**/*.mjs', '**/*.cjs'],
    extends: [eslint.configs.recommended],
    languageOptions: {
      globals: {
        process: 'readonly',
        console: 'readonly',
        URL: 'readonly',
        Buffer: 'readonly',
        performance: 'readonly',
        module: 'writable',
      },
    },
    rules: { ...sizes, 'no-unused-vars': ['error', { argsIgnorePattern: '^_' }] },
  },
);
