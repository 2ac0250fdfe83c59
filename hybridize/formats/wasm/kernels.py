from hybridize.base.frozen import frozen
@frozen(eq=False)
class ModuleKernels:
    facts: dict
def kernels_of(deployable, weights):
    raise NotImplementedError
