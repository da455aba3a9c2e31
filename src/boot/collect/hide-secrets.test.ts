import { expect, it } from 'vitest';
import { loadInputs } from '../load/load.ts';

it('a boot record contains no secret from a raw log', async () => {
  const log = [
    "2023-01-01 00:00:01,000 - util.py[DEBUG]: Cloud-init v. 22.4.2 running 'init-local' at Sun, 01 Jan 2023 00:00:01 +0000. Up 5.00 seconds.",
    '2023-01-01 00:00:02,000 - handlers.py[DEBUG]: start: init-local/search-Foo: searching with password=hunter2',
    '2023-01-01 00:00:03,000 - handlers.py[DEBUG]: finish: init-local/search-Foo: SUCCESS: found token: hunter3',
    '2023-01-01 00:00:04,000 - handlers.py[DEBUG]: finish: init-local: SUCCESS: searching for local datasources',
  ].join('\n');
  const readStdin = () => new TextEncoder().encode(log);
  const [record] = await loadInputs(['-'], { readStdin, nowUs: 1_700_000_000_000_000 });
  expect(record!.spans.map((span) => span.name)).toContain('init-local/search-Foo');
  expect(JSON.stringify(record)).not.toContain('hunter');
});
