// node/document/schema/v1alpha1/host.ts: which v1alpha1 fields configure the host: network, kernel, files, units?
import * as z from 'zod/mini';
import * as f from './formats.ts';
import { keyed, unique } from './lists.ts';

export const networkSchema = z.strictObject({
  nodeIp: z._default(
    f.field(
      'primary: what the platform gave the first interface; kubelet: its own choice; fixed: nodeAddresses.',
      z.enum(['primary', 'kubelet', 'fixed']),
    ),
    'primary',
  ),
  nodeAddresses: z._default(f.field('One, or one of each family.', z.array(f.address()).check(z.maxLength(2))), []),
  dnsServers: z._default(
    f.field('Of the host, beside those of the platform.', z.array(f.address()).check(z.maxLength(8))),
    [],
  ),
  searchDomains: z._default(f.field('Of the host.', z.array(f.domain()).check(z.maxLength(16))), []),
  mtu: z.optional(f.field('Of the first interface.', f.integer(1280, 65_535))),
});

export const osSchema = z.strictObject({
  limits: z._default(
    f.field(
      'Of login sessions, by item of limits.conf.',
      z.record(
        f.limitItem(),
        z.strictObject({
          soft: z.optional(f.field('A number or `unlimited`.', f.limitValue())),
          hard: z.optional(f.field('A number or `unlimited`.', f.limitValue())),
        }),
      ),
    ),
    {},
  ),
  swap: z.optional(
    z.strictObject({
      file: z._default(f.field('Where it is.', f.path()), '/var/lib/swapfile'),
      size: f.field('Bytes, `4Gi`, or an expression.', f.bytes(1 << 20)),
      behavior: z._default(f.field('What pods may use of it.', z.enum(['NoSwap', 'LimitedSwap'])), 'LimitedSwap'),
    }),
  ),
  hugePages: z.prefault(
    z.strictObject({
      '2Mi': z.optional(f.field('Pages of 2 MiB.', f.integer(0, 1 << 24))),
      '1Gi': z.optional(f.field('Pages of 1 GiB.', f.integer(0, 1 << 14))),
    }),
    {},
  ),
  timeServers: z._default(
    f.field('Beside the clock of the platform.', z.array(f.serverName()).check(z.maxLength(8))),
    [],
  ),
  sysctls: z._default(
    f.field(
      'Kernel settings.',
      keyed(
        'name',
        z.strictObject({
          name: f.field('`net.ipv4.ip_forward`.', f.sysctlKey()),
          value: f.field('Text or a number.', f.sysctlValue()),
        }),
      ),
    ),
    [],
  ),
  modules: z._default(f.field('Kernel modules to load.', unique(f.moduleName())), []),
});

export const filesSchema = keyed(
  'path',
  z.strictObject({
    content: f.secret('Shown nowhere when `secret` is true.', f.lines()),
    encoding: z._default(f.field('Of the content.', z.enum(['utf8', 'base64'])), 'utf8'),
    mode: z._default(f.field('Octal, in quotes.', f.fileMode()), '0644'),
    owner: z._default(f.field('A user of the image.', f.userName()), 'root'),
    group: z._default(f.field('A group of the image.', f.userName()), 'root'),
    secret: z._default(f.field('Never show the content; written for its owner only.', f.bool()), false),
    path: f.field('Where it is written.', f.writablePath()),
  }),
);

export const unitsSchema = keyed(
  'name',
  z.strictObject({
    content: z.optional(f.field("The whole unit file; without it, the image's own.", f.lines())),
    dropIns: z._default(f.field('By file name.', z.record(f.dropInName(), f.lines())), {}),
    enabled: z.optional(f.field('Started at boot? As the image has it unless given.', f.bool())),
    masked: z._default(f.field('Never started.', f.bool()), false),
    active: z.optional(f.field('Running now? Neither started nor stopped unless given.', f.bool())),
    name: f.field('With its suffix.', f.systemdUnitName()),
  }),
);

export const proxySchema = z.strictObject({
  http: z.optional(f.secret('For http://.', f.proxyUrl())),
  https: z.optional(f.secret('For https://.', f.proxyUrl())),
  noProxy: z._default(
    f.field(
      'Reached directly; metadata, services and pods always are.',
      z.array(f.noProxyEntry()).check(z.maxLength(256)),
    ),
    [],
  ),
});

export const storageSchema = z.strictObject({
  containerdRoot: z.optional(f.field('Folder on a mounted file system.', f.path())),
  kubeletRoot: z.optional(f.field('Folder on a mounted file system, below /mnt, /srv or /var/lib.', f.path())),
});

export const sshSchema = z.strictObject({
  authorizedKeys: z._default(
    f.field('By user.', z.record(f.userName(), z.array(f.sshKey()).check(z.maxLength(64)))),
    {},
  ),
  passwordAuthentication: z.optional(f.field('As the image has it unless given.', f.bool())),
});

export const metadataAccessSchema = z.strictObject({
  blockPods: z._default(f.field('Keep pods from the metadata service and the wire server.', f.bool()), true),
  allowedCidrs: z._default(
    f.field('Pod addresses that may nevertheless.', z.array(f.cidr()).check(z.maxLength(64))),
    [],
  ),
});
