// packages/product.ts: what do all packages say about headstart? Read from package.json and the files next to it.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

export interface Product {
  name: string;
  version: string;
  description: string;
  license: string;
  engines: { node: string };
  licenceText: string;
}

export function readProduct(root: string): Product {
  const { name, version, description, license, engines } = JSON.parse(
    readFileSync(join(root, 'package.json'), 'utf8'),
  ) as Product;
  return { name, version, description, license, engines, licenceText: readFileSync(join(root, 'LICENSE'), 'utf8') };
}
