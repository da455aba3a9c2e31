// image/fetch/proxies.ts: through which proxies does this machine reach its mirrors? The environment's, otherwise those that apt is configured with.

type Variables = Readonly<Record<string, string | undefined>>;
const NAMES = ['http_proxy', 'https_proxy', 'no_proxy'] as const;

/** `aptConf` is the output of `apt-config dump`: `Acquire::http::Proxy "http://proxy:3128";`. */
export function proxyVariables(env: Variables, aptConf: string): Record<string, string> {
  const named = NAMES.flatMap((name): [string, string][] => {
    const value = env[name] ?? env[name.toUpperCase()];
    // curl and other tools also accept `proxy:3128`.
    const isBare = name !== 'no_proxy' && !value?.includes('://');
    return value ? [[name, isBare ? `http://${value}` : value]] : [];
  });
  if (named.length > 0) return Object.fromEntries(named);
  return Object.fromEntries(
    ['http', 'https'].flatMap((scheme): [string, string][] => {
      const [, proxy] = new RegExp(`^Acquire::${scheme}::Proxy "(https?://[^"]+)";$`, 'm').exec(aptConf) ?? [];
      return proxy ? [[`${scheme}_proxy`, proxy]] : [];
    }),
  );
}
