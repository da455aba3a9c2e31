import { publisherSuite } from '../publisher.suite.ts';
import { fakeLab } from './testing.ts';

publisherSuite('the fake', fakeLab);
