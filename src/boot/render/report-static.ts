// boot/render/report-static.ts: what does the report show where scripts do not run? The sentence, the findings and the path as a table.
import { formatSpan } from '../../base/duration.ts';
import type { BootFinding } from '../questions/path/findings.ts';
import { bootDate, savingText, totalText } from './report/wording.ts';
import type { ReportView } from './report-data.ts';

/** The page's script replaces it. */
export function staticSummary(views: readonly ReportView[]): string {
  const versus = views.flatMap(({ against }) => (against ? [`${against.text}${against.because}.`] : []));
  const head = versus.length > 0 ? `<h2>${escapeText(versus.join(' '))}</h2>\n` : '';
  const articles = views
    .map(
      (view) => `<article class="card">
<h2>${escapeText(view.sentence)}</h2>
<p>${escapeText([view.label, view.host, bootDate(view), view.totalOf].join(' · '))}</p>
<ol>${view.findings.map((finding) => `<li>${findingText(finding)}</li>`).join('')}</ol>
<table><caption>The critical path: these times add up to ${totalText(view)}</caption>
<tr><th>start</th><th>took</th><th>kind</th><th>what</th></tr>
${view.segments.map((one) => `<tr><td>${formatSpan(one.startUs)}</td><td>${formatSpan(one.endUs - one.startUs)}</td><td>${one.kind}</td><td>${escapeText(one.wait === undefined ? one.name : `${one.name} (${one.wait})`)}</td></tr>`).join('\n')}
</table>
</article>`,
    )
    .join('\n');
  return head + articles;
}

function findingText({ kind, name, inside, tookUs, saving, command }: BootFinding): string {
  const what = `${formatSpan(tookUs)} ${kind}: ${name}${inside === undefined ? '' : ` in ${inside}`}`;
  return `${escapeText(`${what}. ${savingText(saving)}`)} <code>${escapeText(command)}</code>`;
}

export function escapeText(text: string): string {
  return text.replace(/[&<>"']/g, (char) => `&#${char.charCodeAt(0)};`);
}
