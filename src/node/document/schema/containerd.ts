// node/document/schema/containerd.ts: which fields configure containerd: registries, runtimes, limits?
import * as z from 'zod/mini';
import * as f from './formats.ts';

export const containerdSchema = z.strictObject({
  registries: z._default(
    f.field(
      'Registries by host, or `_default`.',
      z.record(
        f.registryHost(),
        z.strictObject({
          server: z.optional(f.field('Used if no mirror answers; default: `https://` and the host.', f.httpUrl())),
          mirrors: z._default(
            f.field(
              'Mirrors, tried in this order.',
              z
                .array(
                  z.strictObject({
                    url: f.field('URL of the mirror.', f.httpUrl()),
                    capabilities: z._default(
                      f.field(
                        'What the mirror is used for.',
                        z.array(z.enum(['pull', 'resolve', 'push'])).check(z.minLength(1), z.maxLength(3)),
                      ),
                      ['pull', 'resolve'],
                    ),
                    overridePath: z._default(f.field('The URL includes the API path.', f.bool()), false),
                    skipVerify: z._default(f.field('Do not verify the certificate.', f.bool()), false),
                    certificateAuthority: z.optional(
                      f.field('CA certificates (PEM) that verify the mirror.', f.certificates()),
                    ),
                  }),
                )
                .check(z.maxLength(16)),
            ),
            [],
          ),
        }),
      ),
    ),
    {},
  ),
  runtimes: z._default(
    f.field(
      'Runtimes in addition to the `runc` of the image.',
      z.record(
        f.runtimeName(),
        z.strictObject({
          type: f.field('Type of the runtime, such as `io.containerd.runc.v2`.', f.runtimeType()),
          options: z._default(f.field('Options of the runtime, as containerd names them.', f.freeForm()), {}),
        }),
      ),
    ),
    {},
  ),
  defaultRuntime: z.optional(f.field('Default: the `runc` of the image.', f.runtimeName())),
  sandboxImage: z.optional(f.field('The pause image.', f.imageReference())),
  snapshotter: z.optional(f.field('Default: the one of the image, usually `overlayfs`.', f.runtimeName())),
  maxConcurrentDownloads: z.optional(f.field('Layers of an image downloaded at the same time.', f.integer(1, 100))),
  openFilesLimit: z.optional(f.field('LimitNOFILE= of the containerd unit.', f.integer(1024, 1_073_741_816))),
  toml: z.optional(f.field('Appended unchanged to the rendered configuration.', f.lines())),
});
