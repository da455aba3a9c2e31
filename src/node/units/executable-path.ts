// node/units/executable-path.ts: where on an image are the executable and the link in $PATH?

/** Where the units expect the executable. */
export const EXECUTABLE_PATH = 'usr/lib/headstart/headstart';
export const COMMAND_LINK = { path: 'usr/bin/headstart', to: '../lib/headstart/headstart' } as const;
