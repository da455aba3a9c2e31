import { expect, it } from 'vitest';
import { type RoffBlock, renderManualPage } from './roff.ts';

const page = (blocks: RoffBlock[]) =>
  renderManualPage({ name: 'headstart-boot', summary: 'show a boot', version: '1.2.3', blocks });

it('a page begins with its title and name', () => {
  expect(page([])).toBe(
    '.TH "HEADSTART\\-BOOT" 1 "" "headstart 1.2.3" "headstart"\n.SH NAME\nheadstart\\-boot \\- show a boot\n',
  );
});

it.each<[RoffBlock, string]>([
  [{ kind: 'section', text: 'See also' }, '.SH "SEE ALSO"'],
  [{ kind: 'part', text: 'boot blame' }, '.SS "boot blame"'],
  [{ kind: 'item', term: '--input <FILE>', text: 'the file' }, '.TP\n.B "\\-\\-input <FILE>"\nthe file'],
  [{ kind: 'heading', text: 'Say "yes":' }, '.PP\n.B "Say \\(dqyes\\(dq:"'],
  [{ kind: 'literal', lines: ['a', '', 'b'] }, '.PP\n.nf\n.RS 4\na\n\\&\nb\n.RE\n.fi'],
])('%j is rendered', (block, text) => {
  expect(page([block]).endsWith(`\n${text}\n`)).toBe(true);
});

it('text is never a request, and keeps its characters', () => {
  const text = page([{ kind: 'paragraph', text: ".TH 'a' \\n ~/x^`b`" }]);
  expect(text.split('\n').at(-2)).toBe('\\&.TH \\(aqa\\(aq \\en \\(ti/x\\(ha\\(gab\\(ga');
  expect(page([{ kind: 'paragraph', text: 'a → b' }])).toContain('\na \\[u2192] b\n');
  expect(page([{ kind: 'paragraph', text: "'quoted'" }])).toContain('\n\\(aqquoted\\(aq\n');
});
