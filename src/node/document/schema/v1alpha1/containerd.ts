// node/document/schema/v1alpha1/containerd.ts: which v1alpha1 fields configure containerd: registries, runtimes, limits?
import * as z from 'zod/mini';
import * as f from './formats.ts';

export const containerdSchema = z.strictObject({
  registries: z._default(
    f.field(
      'By registry host, or `_default`.',
      z.record(
        f.registryHost(),
        z.strictObject({
          server: z.optional(
            f.field('Asked when no mirror answers; `https://` and the host unless given.', f.httpUrl()),
          ),
          mirrors: z._default(
            f.field(
              'Asked in this order.',
              z
                .array(
                  z.strictObject({
                    url: f.field('The mirror.', f.httpUrl()),
                    capabilities: z._default(
                      f.field(
                        'What it is asked for.',
                        z.array(z.enum(['pull', 'resolve', 'push'])).check(z.minLength(1), z.maxLength(3)),
                      ),
                      ['pull', 'resolve'],
                    ),
                    overridePath: z._default(f.field('The URL has the API path in it.', f.bool()), false),
                    skipVerify: z._default(f.field('Take any certificate.', f.bool()), false),
                    certificateAuthority: z.optional(
                      f.field('Certificates (PEM) it is verified with.', f.certificates()),
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
      'Beside the `runc` of the image.',
      z.record(
        f.runtimeName(),
        z.strictObject({
          type: f.field('`io.containerd.runc.v2`.', f.runtimeType()),
          options: z._default(f.field('As containerd names them.', f.freeForm()), {}),
        }),
      ),
    ),
    {},
  ),
  defaultRuntime: z.optional(f.field('`runc` of the image unless given.', f.runtimeName())),
  sandboxImage: z.optional(f.field('The pause image.', f.imageReference())),
  snapshotter: z.optional(f.field('`overlayfs` unless the image says otherwise.', f.runtimeName())),
  maxConcurrentDownloads: z.optional(f.field('Layers of an image fetched at once.', f.integer(1, 100))),
  openFilesLimit: z.optional(f.field('LimitNOFILE= of its unit.', f.integer(1024, 1_073_741_816))),
  toml: z.optional(f.field('Appended to the configuration, untouched.', f.lines())),
});
