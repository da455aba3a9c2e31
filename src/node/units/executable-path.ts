// node/units/executable-path.ts: where on an image is the executable, and by which link do people find it?

/** Where the units expect the executable. */
export const EXECUTABLE_PATH = 'usr/lib/headstart/headstart';
/** So that people find it. */
export const COMMAND_LINK = { path: 'usr/bin/headstart', to: '../lib/headstart/headstart' } as const;
