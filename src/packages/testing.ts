// packages/testing.ts: a product to pack in tests.
import type { Product } from './product.ts';

export const PRODUCT: Product = {
  name: 'headstart',
  version: '1.2.3',
  description: 'Shows where the time goes',
  license: 'Apache-2.0',
  engines: { node: '>=24' },
  licenceText: 'the licence',
};
