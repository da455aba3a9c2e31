import { gallerySuite } from '../gallery.suite.ts';
import { fakeLab } from './testing.ts';

gallerySuite('the fake', fakeLab);
