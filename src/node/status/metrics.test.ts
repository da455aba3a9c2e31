import { describe, expect, it } from 'vitest';
import { renderMetrics } from './metrics.ts';
import { about, state } from './node-status.testing.ts';
import { statusOf } from './node-status.ts';

describe('the metrics', () => {
  const text = renderMetrics(statusOf(state, about), [
    { name: 'fetch', startUs: 0, tookUs: 41_000, isOk: true },
    { name: 'apply/daemon-reload', startUs: 0, tookUs: 1, isOk: true },
  ]);

  it('are in the Prometheus text format: help, type and samples of each family', () => {
    for (const line of text.trimEnd().split('\n')) {
      expect(line).toMatch(
        /^(# (HELP|TYPE) headstart_node_[a-z_]+ .+|headstart_node_[a-z_]+(\{[a-z]+="[^"\\]*"\})? [-+.e\d]+)$/,
      );
    }
    expect(text.match(/^# TYPE/gm)).toHaveLength(new Set(text.match(/^headstart_node_[a-z_]+/gm)).size);
  });

  it('contain the phase, every reason, every slot and every step', () => {
    expect(text).toContain('headstart_node_phase{phase="Applied"} 1\n');
    expect(text).toContain('headstart_node_phase{phase="Blocked"} 0\n');
    expect(text).toContain('headstart_node_reason{code="config/disappeared"} 1\n');
    expect(text).toContain('headstart_node_generation{slot="last_known_good"} 6\n');
    expect(text).toContain('headstart_node_step_seconds{step="fetch"} 0.041\n');
    expect(text).not.toContain('daemon-reload');
  });

  it('omit empty slots, and escape label values', () => {
    const bare = { ...statusOf(state, about), assigned: undefined, active: undefined, lastKnownGood: undefined };
    const none = renderMetrics(bare, [{ name: 'a"b', startUs: 0, tookUs: 1, isOk: true }]);
    expect(none).not.toContain('headstart_node_generation');
    expect(none).toContain('headstart_node_step_seconds{step="a_b"} ');
  });
});
