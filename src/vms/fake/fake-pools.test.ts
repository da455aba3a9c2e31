import { poolsSuite } from '../pools.suite.ts';
import { fakeLab } from './testing.ts';

poolsSuite('the fake', fakeLab);
