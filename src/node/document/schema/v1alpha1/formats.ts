// node/document/schema/v1alpha1/formats.ts: what may a single value of v1alpha1 look like? As in v1, so far. A format that changes for v1
// is first copied here as it was: v1alpha1 is frozen, and v1alpha1.test.ts fails when it changes.
export * from '../formats.ts';
