// node/document/schema/v1alpha1/formats.ts: which values does a v1alpha1 field accept? The same as in v1 so far. Before you change a format
// for v1, copy the old one here: v1alpha1 is frozen, and v1alpha1.test.ts fails when it changes.
export * from '../formats.ts';
