// boot/render/report/assets.ts: what goes into every report besides the boots? The page's style, and its modules as one script.
import { readFileSync } from 'node:fs';
import { stripTypeScriptTypes } from 'node:module';

/** In the order they need each other; they share one scope in the page, so no name may occur twice. */
const MODULES = [
  '../../../base/duration.ts',
  './time-window.ts',
  './lines.ts',
  './elements.ts',
  './page-state.ts',
  './waterfall.ts',
  './overview.ts',
  './details.ts',
  './panels.ts',
  './toolbar.ts',
  './gestures.ts',
  './keys.ts',
  './main.ts',
];

const STYLES = ['./base.css', './chart.css', './panels.css', './print.css'];

export function pageStyle(): string {
  return STYLES.map(read).join('');
}

export function pageScript(): string {
  return MODULES.map((path) => withoutModuleWords(stripTypeScriptTypes(read(path)))).join('');
}

/** One script has no one to import from or export to. Types leave only blanks behind, and comments are for the sources. */
function withoutModuleWords(code: string): string {
  return code
    .replace(/^import [^;]*;\n/gm, '')
    .replace(/^export /gm, '')
    .replace(/^\/\/.*\n/gm, '')
    .replace(/[ \t]+$/gm, '')
    .replace(/\n{2,}/g, '\n');
}

function read(path: string): string {
  return readFileSync(new URL(path, import.meta.url), 'utf8');
}
