// boot/render/report.ts: renders one or several boots as one self-contained HTML file.
import { pageScript, pageStyle } from './report/assets.ts';
import { BOOT_LETTERS } from './report/page-state.ts';
import type { ReportView } from './report-data.ts';
import { escapeText, staticSummary } from './report-static.ts';

/** In the first kilobyte of every report, so that a report overwrites only another report. */
export const REPORT_MARK = '<meta name="generator" content="headstart boot report">';

/** More bars per row would not be readable. */
export const MOST_BOOTS = BOOT_LETTERS.length;

/** Host names, unit names and log text are untrusted: they are data in the page, never markup or script. */
export function renderReport(views: readonly ReportView[], version = ''): string {
  const title = new Intl.ListFormat('en-GB').format(views.map((view) => view.label));
  return `<!doctype html>
<html lang="en" class="static">
<head>
<meta charset="utf-8">
${REPORT_MARK}
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data:">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeText(title)}: boot report</title>
<style>
${pageStyle()}</style>
</head>
<body>
${bodyOf(version)}
<section id="static" aria-label="Summary">
${staticSummary(views)}
</section>
<script type="application/json" id="boots">${escapeScriptData(JSON.stringify(views))}</script>
<script type="module">
${pageScript()}</script>
</body>
</html>
`;
}

/** Inside a script element, only `<` can end the element or open a comment. */
function escapeScriptData(json: string): string {
  return json.replaceAll('<', '\\u003c');
}

const bodyOf = (version: string) => `<header class="top">
<svg class="logo" viewBox="0 0 20 20" aria-hidden="true" fill="currentColor"><rect x="1" y="3" width="7" height="3.4" rx="1.2"/><rect x="6" y="8.3" width="9" height="3.4" rx="1.2"/><rect x="12.5" y="13.6" width="6.5" height="3.4" rx="1.2"/></svg>
<h1>headstart <span>boot report</span></h1>
<span id="when"></span>
<span class="space"></span>
<span class="version">${escapeText(version === '' ? '' : `headstart ${version}`)}</span>
<button class="plain" id="help" aria-label="Keys and gestures">Keys</button>
<button class="plain" id="theme" aria-label="Switch between light and dark">Light / dark</button>
</header>
<section id="answer" aria-label="Where the time went"></section>
<nav class="tabs" role="tablist" aria-label="Views">
<button role="tab" id="tab-waterfall" aria-controls="panel-waterfall" aria-selected="true">Waterfall</button>
<button role="tab" id="tab-slowest" aria-controls="panel-slowest" aria-selected="false" tabindex="-1">Slowest</button>
<button role="tab" id="tab-path" aria-controls="panel-path" aria-selected="false" tabindex="-1">Critical path</button>
<button role="tab" id="tab-changes" aria-controls="panel-changes" aria-selected="false" tabindex="-1" hidden>Changes</button>
<button role="tab" id="tab-about" aria-controls="panel-about" aria-selected="false" tabindex="-1">About the data</button>
<span id="mini" aria-hidden="true"></span>
</nav>
<section class="panel chosen" id="panel-waterfall" role="tabpanel" aria-labelledby="tab-waterfall">
<div class="tools">
<input id="search" type="search" placeholder="Search, or >500ms   ( / )" aria-label="Search spans by words, or by duration such as >500ms">
<select id="least" aria-label="Which spans to show">
<option value="critical">critical path</option>
<option value="0">all spans</option>
<option value="10000">10 ms and longer</option>
<option value="100000">100 ms and longer</option>
<option value="1000000">1 s and longer</option>
</select>
<span id="shown" role="status"></span>
<span id="sources" role="group" aria-label="Sources"></span>
<span class="right"><span class="legend"><span id="order"></span><span><i class="bar sample critical"></i>critical path</span><span><i class="bar sample wait"></i>wait</span><span><i class="bar sample failed"></i>failed</span></span>
<button class="tool" id="open-all" aria-label="Expand or collapse all rows">Expand all</button>
<span class="buttons" role="group" aria-label="Zoom">
<button class="tool" id="zoom-out" aria-label="Zoom out">−</button><button class="tool" id="zoom-fit" aria-label="Show the whole boot">Fit</button><button class="tool" id="zoom-in" aria-label="Zoom in">+</button>
</span></span>
</div>
<div class="stage">
<div id="chart">
<div class="corner" id="corner"><span>Drag over the chart to select a range</span><span>Span <span id="zero"></span></span></div>
<div class="over" id="overview"><canvas id="overview-canvas" role="img" aria-label="Overview of the whole boot"></canvas><div id="brush"></div></div>
<div class="over" id="axis" aria-hidden="true"></div>
<div class="field">
<div class="layer"><svg id="grid" aria-hidden="true"></svg></div>
<div id="scroller" role="treegrid" aria-label="Waterfall" tabindex="0"><div id="rows" role="presentation"></div></div>
<div class="layer"><svg id="paths" preserveAspectRatio="none" aria-hidden="true"></svg><div id="range" hidden></div></div>
<p id="empty" hidden><span id="why-empty"></span> <button class="tool" id="show-all">Show the whole boot</button></p>
</div>
</div>
<aside id="details" aria-label="Details" hidden></aside>
</div>
</section>
<section class="panel" id="panel-slowest" role="tabpanel" aria-labelledby="tab-slowest"></section>
<section class="panel" id="panel-path" role="tabpanel" aria-labelledby="tab-path"></section>
<section class="panel" id="panel-changes" role="tabpanel" aria-labelledby="tab-changes"></section>
<section class="panel" id="panel-about" role="tabpanel" aria-labelledby="tab-about"></section>
<div id="tip" role="tooltip" hidden></div>
<dialog id="keys" aria-label="Keys and gestures">
<h2>Keys and gestures</h2>
<dl>
<dt><kbd>drag</kbd></dt><dd>select a time range: only rows in it are shown</dd>
<dt><kbd>ctrl + wheel</kbd></dt><dd>zoom (without ctrl over the axis or the overview)</dd>
<dt><kbd>shift + wheel</kbd></dt><dd>scroll in time</dd>
<dt><kbd>+ − 0</kbd></dt><dd>zoom in, out, show the whole boot (also <kbd>w s</kbd>; <kbd>a d</kbd> scroll)</dd>
<dt><kbd>↑ ↓ → ←</kbd></dt><dd>select a row, expand, collapse</dd>
<dt><kbd>enter</kbd></dt><dd>zoom to the selected row (also double-click)</dd>
<dt><kbd>/</kbd></dt><dd>search</dd>
<dt><kbd>esc</kbd></dt><dd>clear the search, then close the details, then show the whole boot</dd>
</dl>
<form method="dialog"><button class="more">Close</button></form>
</dialog>`;
