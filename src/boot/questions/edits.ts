// boot/questions/edits.ts: which edits does what-if accept, and how are they written?
import { formatSpan, parseSpan } from '../../base/duration.ts';
import { UserError } from '../../base/errors.ts';

export type WhatIfEdit =
  | { kind: 'add'; unit: string; after: string[]; tookUs: number }
  | { kind: 'after'; unit: string; dependency: string }
  | { kind: 'drop-after'; unit: string; dependency: string }
  | { kind: 'set'; unit: string; tookUs: number }
  | { kind: 'mask'; unit: string }
  /** `unit`: a unit, a cloud-init module or stage, an extension, another span, or a word for several (`cloud-init`, `image-pulls`). */
  | { kind: 'without'; unit: string };

/** `text` is the value of `--add`, `--after` etc. */
export function parseEdit(kind: WhatIfEdit['kind'], text: string): WhatIfEdit {
  if (kind === 'without') return parseWithout(text);
  const words = text.trim().split(/\s+/).filter(Boolean);
  if (kind === 'add') return parseAdd(words, text);
  if (kind === 'set') return parseSet(text);
  const [unit, dependency, ...rest] = words;
  if (kind === 'mask') {
    if (unit === undefined || dependency !== undefined) throw badEdit(kind, text, "'UNIT'");
    return { kind, unit };
  }
  if (unit === undefined || dependency === undefined || rest.length > 0) throw badEdit(kind, text, "'UNIT DEPENDENCY'");
  return { kind, unit, dependency };
}

/** Renders the edit as command-line arguments. */
export function renderEdit(edit: WhatIfEdit): string {
  if (edit.kind === 'mask' || edit.kind === 'without') return `--${edit.kind} '${edit.unit}'`;
  if (edit.kind === 'set') return `--set '${edit.unit}=${written(edit.tookUs)}'`;
  if (edit.kind !== 'add') return `--${edit.kind} '${edit.unit} ${edit.dependency}'`;
  const after = edit.after.map((name) => ` After=${name}`).join('');
  return `--add '${edit.unit}${after} Took=${written(edit.tookUs)}'`;
}

function written(us: number): string {
  return us === 0 ? '0s' : us % 1000 === 0 ? formatSpan(us) : `${us}us`;
}

/** Names of spans may contain blanks. */
function parseWithout(text: string): WhatIfEdit {
  if (text.trim() === '') throw badEdit('without', text, "'NAME'");
  return { kind: 'without', unit: text.trim() };
}

function parseAdd([unit, ...fields]: string[], text: string): WhatIfEdit {
  const shape = "'UNIT After=DEPENDENCY Took=2s'";
  if (unit === undefined || unit.includes('=')) throw badEdit('add', text, shape);
  const after: string[] = [];
  let key = '';
  let took = '';
  for (const field of fields) {
    const [, name, value] = /^(After|Took)=(.*)$/.exec(field) ?? [];
    if (name === undefined && key === '') throw badEdit('add', text, shape);
    key = name ?? key;
    // As in a unit file, a value may contain blanks: `After=a.service b.service`, `Took=1min 2s`.
    const item = name === undefined ? field : value!;
    if (item !== '' && /^\w+=/.test(item)) throw badEdit('add', text, shape);
    if (key === 'Took') took += ` ${item}`;
    else if (item !== '') after.push(item);
  }
  const tookUs = took === '' ? 0 : parseSpan(took);
  if (tookUs === undefined) throw badSpan('add', text, took.trim());
  return { kind: 'add', unit, after: [...new Set(after)], tookUs };
}

function parseSet(text: string): WhatIfEdit {
  // Unit names may contain `=` (in a template's argument), so the last `=` is the separator.
  const at = text.lastIndexOf('=');
  const unit = text.slice(0, at).trim();
  if (at < 0 || unit === '' || /\s/.test(unit)) throw badEdit('set', text, "'UNIT=200ms'");
  const tookUs = parseSpan(text.slice(at + 1));
  if (tookUs === undefined) throw badSpan('set', text, text.slice(at + 1));
  return { kind: 'set', unit, tookUs };
}

function badEdit(kind: WhatIfEdit['kind'], text: string, shape: string): UserError {
  return new UserError(`--${kind} '${text}' is not valid: expected ${shape}`, {
    code: 'boot/bad-edit',
    next: `write --${kind} ${shape}`,
  });
}

function badSpan(kind: WhatIfEdit['kind'], text: string, span: string): UserError {
  return new UserError(`--${kind} '${text}': '${span}' is not a time span`, {
    code: 'boot/bad-edit',
    next: 'write a span such as 200ms, 2s or 1min 30s',
  });
}
