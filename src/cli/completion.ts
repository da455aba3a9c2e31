// cli/completion.ts: `headstart completion SHELL`: prints the completion script of a shell.
import { Argument } from 'commander';
import { ownLauncher } from '../base/own-files/own-files.ts';
import { SHELLS, type Shell } from './complete/shells.ts';
import { renderBash, renderFish, renderKubectl, renderZsh } from './output/completion-script.ts';
import { printJson } from './output/json.ts';
import type { Verb } from './verb.ts';

const RENDERERS: Readonly<Record<Shell, (launcher: string) => string>> = {
  bash: renderBash,
  zsh: renderZsh,
  fish: renderFish,
  kubectl: renderKubectl,
};

const LAUNCHER = ownLauncher(new URL('../../headstart', import.meta.url));

export const verb: Verb = {
  examples: [
    'completion bash > ~/.local/share/bash-completion/completions/headstart',
    'completion fish | source',
    'completion kubectl > ~/.local/bin/kubectl_complete-headstart && chmod +x ~/.local/bin/kubectl_complete-headstart',
  ],
  configure(command) {
    command
      .addArgument(new Argument('<SHELL>').choices(SHELLS))
      .option('--json', 'print one JSON document that contains the script');
  },
  run([shell], options: { json?: boolean }, deps) {
    const script = RENDERERS[shell as Shell](LAUNCHER);
    if (options.json) printJson(deps, 'Completion', { shell, script });
    else deps.stdout(script);
  },
};
