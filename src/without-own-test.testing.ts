// without-own-test.testing.ts: which files decide something and have no test of their own name yet? This list only gets shorter.
export const WITHOUT_OWN_TEST: readonly string[] = [];
