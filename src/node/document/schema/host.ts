// node/document/schema/host.ts: which fields configure the host: network, kernel, files, units?
import * as z from 'zod/mini';
import * as f from './formats.ts';

export const networkSchema = z.strictObject({
  nodeIp: z._default(
    f.field(
      'primary: the address that the platform assigned to the first interface; kubelet: kubelet chooses; fixed: nodeAddresses.',
      z.enum(['primary', 'kubelet', 'fixed']),
    ),
    'primary',
  ),
  nodeAddresses: z._default(
    f.field('One address, or one IPv4 and one IPv6 address.', z.array(f.address()).check(z.maxLength(2))),
    [],
  ),
  dnsServers: z._default(
    f.field(
      'DNS servers of the host, in addition to those of the platform.',
      z.array(f.address()).check(z.maxLength(8)),
    ),
    [],
  ),
  searchDomains: z._default(f.field('DNS search domains of the host.', z.array(f.domain()).check(z.maxLength(16))), []),
  mtu: z.optional(f.field('MTU of the first interface.', f.integer(1280, 65_535))),
});

export const osSchema = z.strictObject({
  sysctls: z._default(
    f.field('Kernel settings, such as `net.ipv4.ip_forward: "1"`.', z.record(f.sysctlKey(), f.sysctlValue())),
    {},
  ),
  modules: z._default(
    f.field(
      'Kernel modules to load.',
      z.record(
        f.moduleName(),
        z.strictObject({
          parameters: z._default(
            f.field('Parameters of the module.', z.record(f.moduleName(), f.moduleParameter())),
            {},
          ),
        }),
      ),
    ),
    {},
  ),
  limits: z._default(
    f.field(
      'Limits of login sessions, by limits.conf item.',
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
      file: z._default(f.field('Path of the swap file.', f.path()), '/var/lib/swapfile'),
      size: f.field('Bytes, `4Gi`, or an expression.', f.bytes(1 << 20)),
      behavior: z._default(f.field('Whether pods may use swap.', z.enum(['NoSwap', 'LimitedSwap'])), 'LimitedSwap'),
    }),
  ),
  hugePages: z.prefault(
    z.strictObject({
      '2Mi': z.optional(f.field('Number of 2 MiB pages.', f.integer(0, 1 << 24))),
      '1Gi': z.optional(f.field('Number of 1 GiB pages.', f.integer(0, 1 << 14))),
    }),
    {},
  ),
  timeServers: z._default(
    f.field('Time servers, in addition to the clock of the platform.', z.array(f.serverName()).check(z.maxLength(8))),
    [],
  ),
});

export const filesSchema = z.record(
  f.writablePath(),
  z.strictObject({
    content: f.secret('Content of the file. Never shown if `secret` is true.', f.lines()),
    encoding: z._default(f.field('Encoding of the content.', z.enum(['utf8', 'base64'])), 'utf8'),
    mode: z._default(f.field('File mode, octal, in quotes.', f.fileMode()), '0644'),
    owner: z._default(f.field('Owner; a user that exists on the image.', f.userName()), 'root'),
    group: z._default(f.field('Group; a group that exists on the image.', f.userName()), 'root'),
    secret: z._default(f.field('Never show the content; only the owner can read the file.', f.bool()), false),
  }),
);

export const unitsSchema = z.record(
  f.systemdUnitName(),
  z.strictObject({
    content: z.optional(f.field("Content of the unit file; default: the image's unit file.", f.lines())),
    dropIns: z._default(f.field('Drop-ins by file name.', z.record(f.dropInName(), f.lines())), {}),
    enabled: z.optional(f.field('Start the unit at boot? Default: as on the image.', f.bool())),
    masked: z._default(f.field('Mask the unit, so that it cannot be started.', f.bool()), false),
    active: z.optional(f.field('Run the unit now? Default: neither start nor stop it.', f.bool())),
  }),
);

export const proxySchema = z.strictObject({
  http: z.optional(f.secret('Proxy for http:// requests.', f.proxyUrl())),
  https: z.optional(f.secret('Proxy for https:// requests.', f.proxyUrl())),
  noProxy: z._default(
    f.field(
      'Hosts reached without the proxy. The metadata service, services and pods never use it.',
      z.array(f.noProxyEntry()).check(z.maxLength(256)),
    ),
    [],
  ),
});

export const storageSchema = z.strictObject({
  containerdRoot: z.optional(f.field('Data directory of containerd (`root`), on a mounted file system.', f.path())),
  kubeletRoot: z.optional(
    f.field('Data directory of kubelet, below /mnt, /srv or /var/lib, on a mounted file system.', f.path()),
  ),
});

export const sshSchema = z.strictObject({
  authorizedKeys: z._default(
    f.field('Authorized keys by user.', z.record(f.userName(), z.array(f.sshKey()).check(z.maxLength(64)))),
    {},
  ),
  passwordAuthentication: z.optional(f.field('Allow password logins? Default: as on the image.', f.bool())),
});

export const metadataAccessSchema = z.strictObject({
  blockPods: z._default(f.field('Block access from pods to the metadata service and the wire server.', f.bool()), true),
  allowedCidrs: z._default(
    f.field('Pod address ranges that keep access.', z.array(f.cidr()).check(z.maxLength(64))),
    [],
  ),
});
