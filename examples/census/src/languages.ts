import { basename, extname } from 'node:path';

const extensions: Readonly<Record<string, string>> = {
  TypeScript: 'ts mts cts tsx',
  JavaScript: 'js mjs cjs jsx',
  JSON: 'json jsonc json5 webmanifest',
  'Source map': 'map',
  Markdown: 'md markdown mdx',
  Text: 'txt text log csv tsv',
  SQL: 'sql',
  HTML: 'html htm xhtml',
  CSS: 'css scss sass less',
  YAML: 'yml yaml',
  TOML: 'toml',
  XML: 'xml svg xsd',
  Shell: 'sh bash zsh fish',
  'C, C++': 'c h cc cpp cxx hpp hh',
  Rust: 'rs',
  Go: 'go',
  Python: 'py pyi',
  Java: 'java kt kts scala',
  'C#': 'cs',
  Ruby: 'rb',
  PHP: 'php',
  Elixir: 'ex exs',
  Image: 'png jpg jpeg gif webp ico bmp avif',
  Font: 'woff woff2 ttf otf eot',
  Archive: 'zip gz tgz xz bz2 zst tar jar',
  Binary: 'so a o node wasm dll exe dylib bin dat pack idx',
};

const languages: ReadonlyMap<string, string> = new Map(
  Object.entries(extensions).flatMap(([language, list]) =>
    list.split(' ').map((extension) => [`.${extension}`, language] as const),
  ),
);

/** `libpq.so.5.18` is as binary as `libpq.so`. */
const versionedLibrary = /\.so(?:\.\d+)+$/;

/** What a file is written in, as far as its name tells. */
export function languageOf(path: string): string {
  const name = basename(path).toLowerCase();
  if (versionedLibrary.test(name)) return 'Binary';
  return languages.get(extname(name)) ?? 'Other';
}
