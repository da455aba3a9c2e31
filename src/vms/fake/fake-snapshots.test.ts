import { snapshotsSuite } from '../snapshots.suite.ts';
import { fakeLab } from './testing.ts';

snapshotsSuite('the fake', fakeLab);
