// boot/render/report/assets.ts: what does every report contain besides the boots? The style sheet, and the modules as one script.
import { stripTypeScriptTypes } from 'node:module';
import { ownText } from '../../../base/own-files/own-files.ts';

/** Dependencies first. They share one scope in the page, so no name may occur twice. */
const MODULES = [
  '../../../base/duration.ts',
  './time-window.ts',
  './lines.ts',
  './wording.ts',
  './elements.ts',
  './page-state.ts',
  './colours.ts',
  './row-layout.ts',
  './bar-note.ts',
  './axis.ts',
  './waterfall.ts',
  './overview.ts',
  './details.ts',
  './versus.ts',
  './answer.ts',
  './tables.ts',
  './panels.ts',
  './toolbar.ts',
  './address.ts',
  './gestures.ts',
  './keys.ts',
  './main.ts',
];

const STYLES = ['./base.css', './chart.css', './panels.css', './answer.css', './small.css', './print.css'];

export function pageStyle(): string {
  return STYLES.map(read).join('');
}

export function pageScript(): string {
  return MODULES.map((path) => asPlainScript(stripTypeScriptTypes(read(path)))).join('');
}

/** Removes imports, exports, header comments, and the blanks that stripped types leave. */
function asPlainScript(code: string): string {
  return code
    .replace(/^import [^;]*;\n/gm, '')
    .replace(/^export /gm, '')
    .replace(/^\/\/.*\n/gm, '')
    .replace(/[ \t]+$/gm, '')
    .replace(/\n{2,}/g, '\n');
}

function read(path: string): string {
  return ownText(new URL(path, import.meta.url));
}
