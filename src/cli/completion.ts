// cli/completion.ts: `headstart completion SHELL`: what may come next on the command line, for the shell to offer.
import { Argument, Command } from 'commander';
import { GROUPS, VERBS } from './main.ts';
import { type Place, renderBash, renderFish, renderZsh } from './output/completion-script.ts';
import { printJson } from './output/json.ts';
import type { Verb } from './verb.ts';

const RENDERERS: Readonly<Record<string, (places: readonly Place[]) => string>> = {
  bash: renderBash,
  zsh: renderZsh,
  fish: renderFish,
};

export const verb: Verb = {
  examples: ['completion bash > ~/.local/share/bash-completion/completions/headstart', 'completion fish | source'],
  configure(command) {
    command
      .addArgument(new Argument('<SHELL>').choices(Object.keys(RENDERERS)))
      .option('--json', 'print one JSON document that contains the script');
  },
  async run([shell = ''], options: { json?: boolean }, edges) {
    const script = RENDERERS[shell]!(await places());
    if (options.json) printJson(edges, 'Completion', { shell, script });
    else edges.stdout(script);
  },
};

/** Every place on the command line, the empty one first, from the table of verbs and the options each verb declares. */
export async function places(): Promise<Place[]> {
  const top: Place = {
    path: '',
    summary: '',
    options: [helpOption(), { long: '--version', takesValue: false, summary: 'print the version' }],
  };
  const groups = Object.entries(GROUPS).map(
    ([path, { summary }]): Place => ({ path, summary, options: [helpOption()] }),
  );
  const verbs = await Promise.all(
    Object.entries(VERBS).map(async ([path, entry]): Promise<Place> => {
      const { verb: loaded } = await entry.load();
      const command = new Command();
      loaded.configure(command);
      const options = command.options.map((option) => ({
        ...(option.short !== undefined && { short: option.short }),
        ...(option.long !== undefined && { long: option.long }),
        takesValue: option.required,
        ...(option.argChoices !== undefined && { choices: option.argChoices }),
        summary: option.description,
      }));
      const choices = command.registeredArguments[0]?.argChoices;
      return { path, summary: entry.summary, options: [...options, helpOption()], ...(choices && { choices }) };
    }),
  );
  return [top, ...groups, ...verbs];
}

function helpOption() {
  return { short: '-h', long: '--help', takesValue: false, summary: 'print the help' };
}
