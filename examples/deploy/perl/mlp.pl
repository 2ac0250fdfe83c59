# The chapter's net from Perl (Debian: libffi-platypus-perl). In the folder of the models:
#
#     perl ../perl/mlp.pl
use v5.36;
use FFI::Platypus 2.00;
use FFI::Platypus::Buffer qw(scalar_to_pointer);
use List::Util qw(max);

my $mlp = FFI::Platypus->new(api => 2, lib => './libmlp.so');
$mlp->attach(mlp_create  => ['opaque*', 'opaque'] => 'sint32');
$mlp->attach(mlp_run     => ['opaque', 'opaque[]', 'sint64[]', 'opaque[]', 'sint64[]'] => 'sint32');
$mlp->attach(mlp_destroy => ['opaque'] => 'void');
$mlp->attach(mlp_error   => ['sint32'] => 'string');

sub slurp ($path) { open my $file, '<:raw', $path or die "$path: $!\n"; local $/; <$file> }
sub check ($code) { die 'mlp: ', mlp_error($code), "\n" if $code }

my $data = slurp('mlp.input.f32');    # raw floats: a string of bytes is an array to C
my $output = "\0" x 8;
check mlp_create(\my $model, undef);
check mlp_run($model, [scalar_to_pointer $data], [1, length($data) / 4], [scalar_to_pointer $output], [1, 2]);
mlp_destroy($model);

my @output = unpack 'f<*', $output;
my @expected = unpack 'f<*', slurp('mlp.output.f32');
my @differences = map { abs($output[$_] - $expected[$_]) } 0 .. 1;
printf "output %.6f %.6f, largest difference %.1e\n", @output, max(@differences);
my $wrong = grep { !($_ <= 1e-5) } @differences;    # NaN is wrong too
exit($wrong > 0);
